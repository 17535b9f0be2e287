"""Connects to an abstract unix socket, which no folder protects; a connection there would show that it worked."""

import socket


for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    try:
        with socket.socket(socket.AF_UNIX, kind) as channel:
            channel.connect("\0@SOCKET@")
            print("BREACH connected")
    except OSError:
        pass
try:
    socket.socketpair()
    print("BREACH a socket pair")
except OSError:
    pass


def scale(x, factor):
    return x * factor
