#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""beside.py PROGRAMS: what else goes on at a receiver does not hold up a participant's answers. A signed device's answer beside a running upload of 500 MB;
ten participants while an attacker without a key sends 1 MB a second in their names. Prints JSON lines as `make bench` does; needs PyPI's cryptography."""
import asyncio, hashlib, os, pathlib, shutil, sys, tempfile, time

import scale

SECONDS = 20
UPLOAD = 500_000_000
PATIENCE = 1.0  # seconds; an answer that takes longer is harmed


async def send_large(device, size, over):
    """An upload of that size, as quickly as it is taken; its time."""
    piece = os.urandom(1 << 20)
    digest, left = hashlib.sha256(), size
    while left > 0:
        digest.update(piece[:left])
        left -= len(piece)
    labels = {"filename": "000009-accelerometer.cwa", "sha256": digest.hexdigest(), "item": "large", "enrolment": "e", "participant": device.participant}
    text = ",".join(f"{label} {scale.b64(value.encode())}" for label, value in labels.items())
    _, answer = await device.ask("POST", "/files", {"tus-resumable": "1.0.0", "upload-length": str(size), "upload-metadata": text}, b"", 201)
    place = "/" + answer["location"].split("/", 3)[3] if "://" in answer["location"] else answer["location"]
    began, offset = time.monotonic(), 0
    while offset < size:
        body = piece[: size - offset] if size - offset < 4 << 20 else piece * 4
        await device.ask("PATCH", place, {"tus-resumable": "1.0.0", "upload-offset": str(offset), "content-type": scale.PIECE}, body, 204)
        offset += len(body)
    over.set()
    return time.monotonic() - began


async def answers_beside(port):
    answering, sending, over, times = scale.Device(1, port), scale.Device(2, port), asyncio.Event(), []
    await answering.report(0, "enrolment")
    alone = [await answering.answer(1) for _ in range(200)]
    running = asyncio.create_task(send_large(sending, UPLOAD, over))
    await asyncio.sleep(0.5)
    while not over.is_set():
        times.append(await answering.answer(1))
        await asyncio.sleep(0.01)
    return alone, times, await running


async def flood(port, victims, end):
    """1 MB a second without a key: begun uploads, reports, posts and pieces in others' names."""
    sent, statuses = 0, {}
    began = time.monotonic()
    bodies = [("POST", "/reports", os.urandom(60_000)), ("POST", "/schema", os.urandom(60_000)), ("POST", "/files", b""), ("POST", "/manifests", os.urandom(60_000))]
    number = 0
    while time.monotonic() < end:
        await asyncio.sleep(max(0, began + sent / 1e6 - time.monotonic()))
        method, path, body = bodies[number % len(bodies)]
        victim = victims[number % len(victims)].participant
        number += 1
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nstudyd-device: {victim}\r\nconnection: close\r\ncontent-type: application/json\r\n"
        if path == "/files":
            text = ",".join(f"{label} {scale.b64(value.encode())}" for label, value in {"filename": f"{number}.cwa", "participant": victim}.items())
            head += f"tus-resumable: 1.0.0\r\nupload-length: 100000000\r\nupload-metadata: {text}\r\n"
        data = head.encode() + f"content-length: {len(body)}\r\n\r\n".encode() + body
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.200.0.1", 0))
            writer.write(data)
            answer = await asyncio.wait_for(reader.read(-1), 10)
            writer.close()
            statuses[answer[9:12].decode()] = statuses.get(answer[9:12].decode(), 0) + 1
        except (OSError, asyncio.TimeoutError):
            statuses["none"] = statuses.get("none", 0) + 1
        sent += len(data)
    return sent / SECONDS, statuses


async def attacked(port):
    """How many of ten were harmed, the slowest answer, and what the attacker was answered."""
    devices = [scale.Device(number, port) for number in range(100, 110)]
    for device in devices:
        await device.report(0, "enrolment")
    end, harmed, slowest = time.monotonic() + SECONDS, set(), 0.0

    async def live(device):
        nonlocal slowest
        for index in range(len(scale.MEASURES)):
            try:
                steps = [await device.answer(index), await device.report(index + 1), *await device.recording(index)]
                slowest = max(slowest, *steps)
                if max(steps) > PATIENCE:
                    harmed.add(device.participant)
            except (AssertionError, OSError) as fault:
                print(f"beside: {fault}", file=sys.stderr)
                harmed.add(device.participant)
            await asyncio.sleep(SECONDS / len(scale.MEASURES) - 1)

    attack = asyncio.create_task(flood(port, devices, end))
    await asyncio.gather(*(live(device) for device in devices))
    rate, statuses = await attack
    return len(harmed), slowest, rate, statuses


def main():
    good = True
    for measure in ("upload", "attack"):
        place = pathlib.Path(tempfile.mkdtemp(prefix="studyd-beside-", dir=os.environ.get("BENCH_FOLDER")))
        receiver = scale.Receiver(place)
        try:
            if measure == "upload":
                alone, times, took = asyncio.run(answers_beside(receiver.port))
                scale.show("upload of 500 MB beside answers", UPLOAD / 1e6 / took, "MB/s")
                scale.show(f"answer to receipt, nothing beside it, p99 of {len(alone)}", 1000 * scale.p99(alone), "ms")
                good = scale.show(f"answer to receipt beside it, p99 of {len(times)}", 1000 * scale.p99(times), "ms", 50) and good
            else:
                harmed, slowest, rate, statuses = asyncio.run(attacked(receiver.port))
                scale.show("attacker without a key", rate / 1e6, "MB/s")
                print(f"beside: the attacker was answered {statuses}", file=sys.stderr)
                scale.show("slowest request of ten participants beside it", 1000 * slowest, "ms")
                good = scale.show("participants harmed by it, of ten", harmed, "count", 0) and good
        finally:
            receiver.stop()
            shutil.rmtree(place, ignore_errors=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
