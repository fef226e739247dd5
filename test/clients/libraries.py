"""Small jobs of libraries on both doors. Environment: those of AWS and Azure, AZURE_ENDPOINT, AZURE_KEY; argument: the job."""

import io
import os
import sys
import urllib.request
from datetime import timedelta

endpoint = os.environ["AWS_ENDPOINT_URL"]
key, secret = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
connection = os.environ["AZURE_STORAGE_CONNECTION_STRING"]
# Without the signs of patterns, which file systems would expand.
odd = "odd/ü +%41&#'(x).txt"
large = os.urandom(11 * 2**20 + 7)


def fetched(link):
    with urllib.request.urlopen(link) as answer:
        return answer.read()


def minio():
    from minio import Minio
    from minio.commonconfig import ComposeSource, CopySource
    from minio.deleteobjects import DeleteObject

    client = Minio(endpoint.removeprefix("http://"), access_key=key, secret_key=secret, secure=False)
    client.make_bucket("of-minio")
    assert client.bucket_exists("of-minio")
    client.put_object("of-minio", odd, io.BytesIO(b"small"), 5, metadata={"colour": "blue"})
    assert client.stat_object("of-minio", odd).metadata["x-amz-meta-colour"] == "blue"
    client.put_object("of-minio", "large", io.BytesIO(large), -1, part_size=5 * 2**20)
    assert client.get_object("of-minio", "large").read() == large
    assert client.get_object("of-minio", "large", offset=100, length=50).read() == large[100:150]
    client.copy_object("of-minio", "copied", CopySource("of-minio", odd))
    client.compose_object("of-minio", "whole", [ComposeSource("of-minio", "large"), ComposeSource("of-minio", odd)])
    assert client.stat_object("of-minio", "whole").size == len(large) + 5
    assert fetched(client.presigned_get_object("of-minio", odd, timedelta(minutes=1))) == b"small"
    for v1 in (False, True):
        names = [each.object_name for each in client.list_objects("of-minio", recursive=True, use_api_v1=v1)]
        assert names == ["copied", "large", odd, "whole"], names
    assert not list(client.remove_objects("of-minio", [DeleteObject(name) for name in names]))
    client.remove_bucket("of-minio")


def file_systems():
    import adlfs
    import s3fs

    s3 = s3fs.S3FileSystem(key=key, secret=secret, client_kwargs={"endpoint_url": endpoint})
    for files, name in ((s3, "of-s3fs"), (adlfs.AzureBlobFileSystem(connection_string=connection), "of-adlfs")):
        files.mkdir(name)
        files.pipe(f"{name}/{odd}", b"small")
        with files.open(f"{name}/large", "wb") as file:
            file.write(large)
        with files.open(f"{name}/large", "rb") as file:
            file.seek(10**7)
            assert file.read() == large[10**7 :]
        assert files.cat(f"{name}/{odd}") == b"small"
        files.copy(f"{name}/{odd}", f"{name}/copied")
        assert files.find(name) == [f"{name}/copied", f"{name}/large", f"{name}/{odd}"]
        assert files.isdir(f"{name}/odd") and not files.exists(f"{name}/none")
        assert fetched(files.url(f"{name}/copied")) == b"small"
        files.rm(name, recursive=True)
        assert not files.exists(name)


def smart_open():
    import boto3
    from smart_open import open as opened

    client = boto3.client("s3")
    client.create_bucket(Bucket="of-smart-open")
    with opened("s3://of-smart-open/lines.txt.gz", "w") as file:
        file.write("hällo\n" * 1000)
    with opened("s3://of-smart-open/lines.txt.gz") as file:
        assert sum(1 for _ in file) == 1000
    with opened("s3://of-smart-open/large", "wb", transport_params={"min_part_size": 5 * 2**20}) as file:
        file.write(large)
    with opened("s3://of-smart-open/large", "rb") as file:
        file.seek(10**7)
        assert file.read() == large[10**7 :]


def obstore():
    import obstore
    from azure.storage.blob import BlobServiceClient
    from obstore.store import AzureStore, S3Store

    http = {"allow_http": True}
    name = "of-obstore"
    blob = AzureStore(
        name,
        account_name=os.environ["AZURE_ACCOUNT"],
        account_key=os.environ["AZURE_KEY"],
        endpoint=os.environ["AZURE_ENDPOINT"],
        client_options=http,
    )
    s3 = S3Store(name, endpoint=endpoint, region="us-east-1", client_options=http)
    BlobServiceClient.from_connection_string(connection).create_container(name)
    for store in (s3, blob):
        obstore.put(store, odd, b"small", attributes={"Content-Type": "text/plain", "colour": "blue"})
        assert obstore.get(store, odd).attributes["colour"] == "blue"
        obstore.put(store, "large", large, chunk_size=5 * 2**20)
        assert bytes(obstore.get(store, "large").bytes()) == large
        assert [bytes(each) for each in obstore.get_ranges(store, "large", starts=[0, 10**7], ends=[9, 10**7 + 9])] == [
            large[:9],
            large[10**7 : 10**7 + 9],
        ]
        try:
            obstore.put(store, odd, b"other", mode="create")
            raise AssertionError("written over")
        except obstore.exceptions.AlreadyExistsError:
            pass
        obstore.rename(store, odd, "renamed")
        assert fetched(obstore.sign(store, "GET", "renamed", timedelta(minutes=1))) == b"small"
        assert [each["path"] for chunk in obstore.list(store) for each in chunk] == ["large", "renamed"]
        obstore.delete(store, ["large", "renamed"])


def django():
    import boto3
    import django
    from django.conf import settings
    from django.core.files.base import ContentFile

    settings.configure(
        AWS_STORAGE_BUCKET_NAME="of-django",
        AWS_S3_ENDPOINT_URL=endpoint,
        AZURE_CONNECTION_STRING=connection,
        AZURE_ACCOUNT_NAME=os.environ["AZURE_ACCOUNT"],
        AZURE_CONTAINER="of-django",
        AZURE_URL_EXPIRATION_SECS=60,
    )
    django.setup()
    from storages.backends.azure_storage import AzureStorage
    from storages.backends.s3 import S3Storage

    boto3.client("s3").create_bucket(Bucket="of-django")
    for storage in (S3Storage(), AzureStorage()):
        storage.save("a/ü b+.txt", ContentFile(b"small"))
        assert storage.open("a/ü b+.txt").read() == b"small" and storage.size("a/ü b+.txt") == 5
        assert fetched(storage.url("a/ü b+.txt")) == b"small"
        storage.delete("a/ü b+.txt")
        assert not storage.exists("a/ü b+.txt")


{"minio": minio, "file systems": file_systems, "smart_open": smart_open, "obstore": obstore, "django": django}[sys.argv[1]]()
print("done")
