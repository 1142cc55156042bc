# SPDX-License-Identifier: Apache-2.0
"""mqtt_reader.py PORT [USER PASSWORD]: subscribes to everything by PyPI's paho-mqtt, MQTT 5, and prints each message as a line of JSON. The first
line says that it listens. Ends with its input."""
import json
import sys
import threading

import paho.mqtt.client as mqtt


def connected(client, *_):
    client.subscribe("#", options=mqtt.SubscribeOptions(qos=1, retainAsPublished=True))


def told(client, _, message):
    found = message.properties
    print(json.dumps({"topic": message.topic, "payload": message.payload.decode(), "retained": bool(message.retain), "qos": message.qos,
                      "type": getattr(found, "ContentType", None), "properties": dict(getattr(found, "UserProperty", []))}), flush=True)


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
client.on_connect, client.on_message = connected, told
client.on_subscribe = lambda *_: print(json.dumps({"listening": True}), flush=True)
if len(sys.argv) > 2:
    client.username_pw_set(*sys.argv[2:4])
client.connect("127.0.0.1", int(sys.argv[1]))
threading.Thread(target=client.loop_forever, daemon=True).start()
sys.stdin.read()
