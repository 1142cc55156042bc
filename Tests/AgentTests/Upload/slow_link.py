#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A slow network before a server on this machine: slow_link.py PORT BYTES_PER_SECOND. What clients send is read at that rate, all of them
together and in turn; what comes back is not slowed. Prints its port, serves until its standard input ends."""
import socket, sys, threading, time

target, rate = int(sys.argv[1]), float(sys.argv[2])
turn, allowed = threading.Lock(), [time.monotonic()]
PIECE = 256


def wait_for_turn(count):
    with turn:
        now = time.monotonic()
        begin = max(now, allowed[0])
        allowed[0] = begin + count / rate
    time.sleep(max(0, begin - now))


def upwards(client, server):
    try:
        while piece := client.recv(PIECE):
            wait_for_turn(len(piece))
            server.sendall(piece)
    except OSError:
        pass
    for end in (client, server):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def downwards(client, server):
    try:
        while piece := server.recv(65536):
            client.sendall(piece)
    except OSError:
        pass
    for end in (client, server):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def accept(listener):
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", target))
        for work in (upwards, downwards):
            threading.Thread(target=work, args=(client, server), daemon=True).start()


listener = socket.socket()
# What the kernel takes ahead of us is as small as it lets us make it.
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind(("127.0.0.1", 0))
listener.listen(64)
threading.Thread(target=accept, args=(listener,), daemon=True).start()
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
