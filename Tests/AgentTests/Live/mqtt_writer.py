# SPDX-License-Identifier: Apache-2.0
"""mqtt_writer.py PORT USER PASSWORD TOPIC...: publishes to each topic by PyPI's paho-mqtt, MQTT 5, QoS 1, and prints what the broker answered: a
line of JSON each, with the topic and the reason code (MQTT 5.0, 3.4.2.1)."""
import json
import sys

import paho.mqtt.client as mqtt

port, user, password, *topics = sys.argv[1:]
waiting = {}


def connected(client, *_):
    for topic in topics:
        waiting[client.publish(topic, "{}", qos=1).mid] = topic


def answered(client, _, number, code, *__):
    print(json.dumps({"topic": waiting.pop(number), "code": code.value}), flush=True)
    if not waiting:
        client.disconnect()


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
client.on_connect, client.on_publish = connected, answered
client.username_pw_set(user, password)
client.connect("127.0.0.1", int(port))
client.loop_forever()
