import base64
import hashlib
import hmac
from urllib.parse import quote


def sign_link(profile, key, expires, ip=None, tags=None):
    """A link to a file: profile is the bucket's signing profile, expires a Unix time in seconds."""
    path = "/" + quote(key, safe="/")
    query = f"expires={expires}&kid={profile['keyId']}"
    if ip:
        query += f"&ip={ip}"
    for name in sorted(tags or {}):
        query += f"&tag.{name}=" + quote(tags[name], safe="/")
    text = f"{profile['scheme']}\n{path}\n{query}"
    secret = base64.urlsafe_b64decode(profile["key"] + "=")
    digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
    token = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return f"https://{profile['hostname']}{path}?{query}&token={token}"
