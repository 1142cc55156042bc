# SPDX-License-Identifier: Apache-2.0
"""home_assistant.py FOLDER BROKER-PORT PORT USER PASSWORD: starts the Home Assistant of this Python in a new folder, makes its owner and its MQTT
integration as a person would by its pages, and prints a line of JSON whenever what it shows of MQTT's devices has changed, and for each warning of its
log. Ends with Home Assistant."""
import asyncio
import ctypes
import json
import pathlib
import signal
import subprocess
import sys

import aiohttp

SETTINGS = """
http:
  server_host: 127.0.0.1
  server_port: {port}
logger:
  default: warning
"""
# Of its log: what may be about a device of MQTT, and not about the machine it runs on.
RELATED = ("mqtt", "template", "sensor", "registry", "studyd")


def end_with_parent():
    """PR_SET_PDEATHSIG of prctl(2): Home Assistant ends with this script, also where that is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


async def post(session, path, **body):
    async with session.post(path, json=body) as answer:
        text = await answer.text()
        if answer.status not in (200, 201):
            raise SystemExit(f"Home Assistant: {path}: {answer.status} {text}")
        return json.loads(text)


async def owner(address):
    """The access token of its first user."""
    async with aiohttp.ClientSession(address) as session:
        while True:
            try:
                async with session.get("/api/onboarding") as answer:
                    if answer.status == 200:
                        break
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.5)
        made = await post(session, "/api/onboarding/users", client_id=address + "/", name="Lab", username="lab", password="lab-password",
                          language="en")
        form = {"grant_type": "authorization_code", "code": made["auth_code"], "client_id": address + "/"}
        async with session.post("/auth/token", data=form) as answer:
            return (await answer.json())["access_token"]


class Socket:
    """Its WebSocket API: one question at a time."""

    def __init__(self, socket):
        self.socket, self.number = socket, 0

    async def ask(self, kind):
        self.number += 1
        await self.socket.send_json({"id": self.number, "type": kind})
        answer = await self.socket.receive_json()
        if not answer.get("success"):
            raise SystemExit(f"Home Assistant: {kind}: {answer}")
        return answer["result"]


async def shown(session, socket):
    """What a person would see of MQTT's devices: the entities by the ends of their ids."""
    entities = [e for e in await socket.ask("config/entity_registry/list") if e["platform"] == "mqtt"]
    places = {e["device_id"] for e in entities}
    devices = [d for d in await socket.ask("config/device_registry/list") if d["id"] in places]
    async with session.get("/api/states") as answer:
        states = {s["entity_id"]: s for s in await answer.json()}
    seen = {}
    for entity in entities:
        state = states.get(entity["entity_id"], {"state": None, "attributes": {}})
        seen[entity["unique_id"].rsplit("-", 1)[-1]] = {
            "entity": entity["entity_id"], "category": entity["entity_category"], "state": state["state"],
            "name": state["attributes"].get("friendly_name"), "unit": state["attributes"].get("unit_of_measurement"),
            "class": state["attributes"].get("device_class"), "options": state["attributes"].get("options"),
            "series": state["attributes"].get("state_class")}
    return {"devices": [{key: d[key] for key in ("name", "manufacturer", "model", "sw_version")} for d in devices], "entities": seen}


async def main(folder, broker, port, user, password):
    place = pathlib.Path(folder)
    place.mkdir()
    (place / "configuration.yaml").write_text(SETTINGS.format(port=port))
    # The first start fetches what its integrations need, by pip.
    process = subprocess.Popen([sys.executable, "-m", "homeassistant", "-c", folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=end_with_parent)
    address = f"http://127.0.0.1:{port}"
    try:
        token = await owner(address)
        headers = {"Authorization": "Bearer " + token}
        async with aiohttp.ClientSession(address, headers=headers) as session, session.ws_connect("/api/websocket") as raw:
            await raw.receive_json()
            await raw.send_json({"type": "auth", "access_token": token})
            print(json.dumps({"version": (await raw.receive_json())["ha_version"]}), flush=True)
            flow = await post(session, "/api/config/config_entries/flow", handler="mqtt")
            made = await post(session, f"/api/config/config_entries/flow/{flow['flow_id']}", broker="127.0.0.1", port=broker, username=user,
                              password=password)
            if made.get("type") != "create_entry":
                raise SystemExit(f"Home Assistant: {made}")
            socket, last, lines = Socket(raw), None, 0
            while process.poll() is None:
                seen = await shown(session, socket)
                if seen != last:
                    print(json.dumps(seen), flush=True)
                last = seen
                log = (place / "home-assistant.log").read_text().splitlines()
                for line in log[lines:]:
                    if (" WARNING " in line or " ERROR " in line) and any(word in line.lower() for word in RELATED):
                        print(json.dumps({"log": line}), flush=True)
                lines = len(log)
                await asyncio.sleep(0.3)
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:6]))
