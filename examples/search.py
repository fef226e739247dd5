"""Searches a library with the client that `node scripts/make-python-client.ts <folder>` makes. Argument: the question."""

import os
import sys

from ply_client import AuthenticatedClient
from ply_client.api.search import search
from ply_client.models import Error, SearchBody, SearchResult

client = AuthenticatedClient(
    base_url=os.environ["PLY_URL"],
    token=os.environ["PLY_KEY"],
    prefix="ApiKey",
    headers={"X-Organization-Id": os.environ["PLY_ORGANIZATION"]},
)
answer = search.sync(client=client, body=SearchBody(query=sys.argv[1], principals=[]))
if isinstance(answer, Error):
    sys.exit(f"{answer.code}: {answer.detail}")
assert isinstance(answer, SearchResult)
for item in answer.items:
    print(f"{item.filename}, {item.confidence.value}: {item.snippet}")
