"""Connects to a listener on this machine; a connection there, or a socket here, would show that it worked."""

import socket


try:
    socket.create_connection(("127.0.0.1", int("@PORT@")), timeout=0.2)
    print("BREACH connected")
except OSError:
    pass
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_NETLINK, socket.AF_ALG):
        try:
            socket.socket(family, kind)
            print("BREACH", family, kind)
        except OSError:
            pass


def scale(x, factor):
    return x * factor
