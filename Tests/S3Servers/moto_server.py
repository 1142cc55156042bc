# SPDX-License-Identifier: Apache-2.0
"""moto (PyPI: moto[server,s3]) as an S3 server that recomputes every signature with botocore's own code; it looks at neither the clock nor
the hashes of bodies.

    moto_server.py    prints port, access key and secret key, then waits for its input's end; the bucket is `study`"""
import os
import sys

SETUP = 4  # requests before signatures are checked
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = str(SETUP)

import logging  # noqa: E402

import boto3  # noqa: E402
from moto.server import ThreadedMotoServer  # noqa: E402

POLICY = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    known = {"region_name": "us-east-1", "endpoint_url": f"http://127.0.0.1:{port}", "aws_access_key_id": "setup",
             "aws_secret_access_key": "setup"}
    iam = boto3.client("iam", **known)
    iam.create_user(UserName="device")
    iam.put_user_policy(UserName="device", PolicyName="all", PolicyDocument=POLICY)
    key = iam.create_access_key(UserName="device")["AccessKey"]
    boto3.client("s3", **known).create_bucket(Bucket="study")
    print(port, flush=True)
    print(key["AccessKeyId"], key["SecretAccessKey"], flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
