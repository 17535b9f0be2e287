
# The strongest sandbox takes bubblewrap. Where it cannot be had, Landlock and seccomp isolate student code.
apt-get install -y bubblewrap || echo "bubblewrap could not be installed; student code is isolated without it"
