<?php

/** A link to a file: $profile is the bucket's signing profile, $expires a Unix time in seconds. */
function sign_link(array $profile, string $key, int $expires, ?string $ip = null, array $tags = []): string
{
    $encode = fn (string $text): string => implode('/', array_map('rawurlencode', explode('/', $text)));
    $path = '/' . $encode($key);
    $query = "expires=$expires&kid={$profile['keyId']}";
    if ($ip !== null) {
        $query .= "&ip=$ip";
    }
    ksort($tags, SORT_STRING);
    foreach ($tags as $name => $value) {
        $query .= "&tag.$name=" . $encode($value);
    }
    $secret = base64_decode(strtr($profile['key'], '-_', '+/'));
    $digest = hash_hmac('sha256', "{$profile['scheme']}\n$path\n$query", $secret, true);
    $token = rtrim(strtr(base64_encode($digest), '+/', '-_'), '=');
    return "https://{$profile['hostname']}$path?$query&token=$token";
}
