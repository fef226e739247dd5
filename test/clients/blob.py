"""Stores, lists, copies and deletes blobs with the SDK for Python. Argument: a connection string, a container."""

import sys
from datetime import datetime, timedelta, timezone

from azure.core.exceptions import HttpResponseError
from azure.storage.blob import BlobClient, BlobSasPermissions, BlobServiceClient, ContentSettings, generate_blob_sas

connection, name = sys.argv[1:]
service = BlobServiceClient.from_connection_string(
    connection, max_block_size=1 << 20, max_single_put_size=1 << 20, max_single_get_size=1 << 20, max_chunk_get_size=1 << 20
)
container = service.get_container_client(name)
small, large = b"from python", bytes(range(256)) * 20_000

with_type = ContentSettings(content_type="text/plain", cache_control="no-store")
container.upload_blob("python/ü small.txt", small, metadata={"colour": "blue"}, content_settings=with_type, overwrite=True)
container.upload_blob("python/large", large, overwrite=True, max_concurrency=3)
properties = container.get_blob_client("python/ü small.txt").get_blob_properties()
assert properties.content_settings.content_type == "text/plain", properties
assert properties.metadata == {"colour": "blue"}, properties
assert container.download_blob("python/ü small.txt").readall() == small
assert container.download_blob("python/large", max_concurrency=3).readall() == large
assert [blob.name for blob in container.list_blobs(name_starts_with="python/")] == ["python/large", "python/ü small.txt"]
assert [item.name for item in container.walk_blobs()] == ["python/"]

source = container.get_blob_client("python/large")
copy = container.get_blob_client("python/copy")
assert copy.start_copy_from_url(source.url)["copy_status"] == "success"
assert copy.get_blob_properties().size == len(large)

sas = generate_blob_sas(
    service.account_name,
    name,
    "python/ü small.txt",
    account_key=service.credential.account_key,
    permission=BlobSasPermissions(read=True),
    expiry=datetime.now(timezone.utc) + timedelta(hours=1),
    content_disposition='attachment; filename="日本 ü.txt"',
)
bearer = BlobClient.from_blob_url(f"{container.get_blob_client('python/ü small.txt').url}?{sas}")
assert bearer.download_blob().readall() == small
named = bearer.get_blob_properties().content_settings.content_disposition
assert named.encode("latin-1").decode() == 'attachment; filename="日本 ü.txt"', named
try:
    bearer.delete_blob()
    raise AssertionError("deleted with a signature that permits reading")
except HttpResponseError as error:
    assert error.error_code == "AuthorizationPermissionMismatch", error

for blob in list(container.list_blobs(name_starts_with="python/")):
    container.delete_blob(blob.name)
assert not list(container.list_blobs(name_starts_with="python/"))
print("done")
