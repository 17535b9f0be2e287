"""Asks the name server on this machine, which carries data out; an answer or a packet sent would show that it worked."""

import socket


try:
    print("BREACH", socket.getaddrinfo("secret.localhost", 80))
except OSError:
    pass
try:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.sendto(b"secret", ("127.0.0.1", int("@PORT@")))
        print("BREACH a packet was sent")
except OSError:
    pass


def scale(x, factor):
    return x * factor
