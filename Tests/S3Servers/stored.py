# SPDX-License-Identifier: Apache-2.0
"""What is in the bucket `study`, read by botocore: key, length, SHA-256 of the content and that of its metadata, tab-separated. Address,
keys and prefix are the lines of standard input."""
import hashlib
import sys

import botocore.session


def main():
    url, access, secret, prefix = sys.stdin.read().split("\n")[:4]
    client = botocore.session.get_session().create_client(
        "s3", region_name="us-east-1", endpoint_url=url, aws_access_key_id=access, aws_secret_access_key=secret)
    for entry in client.list_objects_v2(Bucket="study", Prefix=prefix).get("Contents", []):
        found = client.get_object(Bucket="study", Key=entry["Key"])
        digest = hashlib.sha256(found["Body"].read()).hexdigest()
        names = ",".join(sorted(name.lower() for name in found["Metadata"]))
        print(entry["Key"], entry["Size"], digest, found["Metadata"].get("sha256"), names, sep="\t")


if __name__ == "__main__":
    main()
