"""Talks to the host of a virtual machine; a socket would show that it worked."""

import socket


try:
    with socket.socket(40, socket.SOCK_STREAM) as channel:  # AF_VSOCK
        print("BREACH a vsock")
except OSError:
    pass


def scale(x, factor):
    return x * factor
