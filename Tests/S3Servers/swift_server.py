# SPDX-License-Identifier: Apache-2.0
"""OpenStack Swift (PyPI: swift, pyeclib) with its S3 API, whole: a proxy and a server each for accounts, containers and objects, in a folder
that goes at the end. It checks signatures, clocks (15 minutes), the hashes of bodies and x-amz-checksum-sha256.

    swift_server.py    prints the port, then waits for its input's end; the bucket is `study`, the keys are `study:device` and `secret`"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.executable).parent
PARTS = ["account", "container", "object"]
SERVER = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
log_name = {part}
log_address = {folder}/none
[pipeline:main]
pipeline = {part}-server
[app:{part}-server]
use = egg:swift#{part}
allow_versions = true
"""
PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}
log_address = {folder}/none
[pipeline:main]
pipeline = catch_errors cache s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
check_bucket_owner = false
force_swift_request_proxy_log = false
allow_multipart_uploads = true
min_segment_size = 5242880
[filter:tempauth]
use = egg:swift#tempauth
user_study_device = secret .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
[filter:symlink]
use = egg:swift#symlink
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ring(folder, part, port):
    builder = str(folder / f"{part}.builder")
    tool = [sys.executable, str(BIN / "swift-ring-builder"), builder]
    for words in (["create", "2", "1", "0"], ["add", f"r1z1-127.0.0.1:{port}/disk", "1"], ["rebalance"]):
        subprocess.run(tool + words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start(folder, part, text):
    conf = folder / f"{part}.conf"
    conf.write_text(text)
    return subprocess.Popen([sys.executable, str(BIN / f"swift-{part}-server"), str(conf)],
                            stdout=subprocess.DEVNULL, stderr=open(folder / f"{part}.log", "w"))


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="swift-s3-"))
    (folder / "devices/disk").mkdir(parents=True)
    (folder / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = s\n[storage-policy:0]\nname = gold\ndefault = yes\n")
    user = os.environ.get("USER") or subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
    ports = {part: free_port() for part in PARTS + ["proxy"]}
    for part in PARTS:
        ring(folder, part, ports[part])
    running = [start(folder, part, SERVER.format(part=part, port=ports[part], user=user, folder=folder)) for part in PARTS]
    running.append(start(folder, "proxy", PROXY.format(port=ports["proxy"], user=user, folder=folder)))
    try:
        for port in ports.values():
            for _ in range(1500):
                if answers(port) or any(process.poll() is not None for process in running):
                    break
                time.sleep(0.02)
        import botocore.session
        client = botocore.session.get_session().create_client(
            "s3", region_name="us-east-1", endpoint_url=f"http://127.0.0.1:{ports['proxy']}",
            aws_access_key_id="study:device", aws_secret_access_key="secret")
        client.create_bucket(Bucket="study")
        print(ports["proxy"], flush=True)
        sys.stdin.read()
    except BaseException:
        for log in folder.glob("*.log"):
            sys.stderr.write(f"{log.name}: {log.read_text()[-2000:]}\n")
        raise
    finally:
        for process in running:
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
