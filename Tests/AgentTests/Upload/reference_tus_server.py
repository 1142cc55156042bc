# SPDX-License-Identifier: Apache-2.0
"""The tus server of the package tuspyserver, on a free port: an independent reading of tus.

Needs: pip install tuspyserver uvicorn. Usage: reference_tus_server.py FOLDER. Prints its port; ends with its input.
"""
import os, socket, sys, threading, time
import uvicorn
from fastapi import FastAPI
from tuspyserver import create_tus_router

application = FastAPI()
application.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1], strict_offset_validation=True))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
server = uvicorn.Server(uvicorn.Config(application, log_level="error"))
threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True).start()
while not server.started:
    time.sleep(0.01)
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
os._exit(0)
