/**
 * A self-signed certificate for 127.0.0.1 and localhost, and its key, valid for a hundred years from 2026. Node has no
 * certificate generator, so the pair is data, made once with OpenSSL 3:
 *
 *     openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -keyout key.pem -out cert.pem \
 *       -subj "/CN=agent-session-machine public test certificate" -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"
 *
 * THE KEY IS PUBLIC: it protects nothing. Never trust this certificate outside a test.
 */
export const publicTestCertificate = `-----BEGIN CERTIFICATE-----
MIIB4jCCAYmgAwIBAgIUaV6vpyyoZEEHZqaqiM2loTnTNbEwCgYIKoZIzj0EAwIw
ODE2MDQGA1UEAwwtYWdlbnQtc2Vzc2lvbi1tYWNoaW5lIHB1YmxpYyB0ZXN0IGNl
cnRpZmljYXRlMCAXDTI2MTEzMDAxMDUwNloYDzIxMjYxMTA2MDEwNTA2WjA4MTYw
NAYDVQQDDC1hZ2VudC1zZXNzaW9uLW1hY2hpbmUgcHVibGljIHRlc3QgY2VydGlm
aWNhdGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATzzTp7+RbyC3E2bm3ZHpm9
ua/B5kd77q8H9Y+NBcCR9QZ2lJ0rd8sqo5/A8tYpTl/krNGnbQ4PKzAMAmJkDtcI
o28wbTAdBgNVHQ4EFgQU86GEfMrXNqb8MOA5IjwDJK4xjsEwHwYDVR0jBBgwFoAU
86GEfMrXNqb8MOA5IjwDJK4xjsEwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzAR
gglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDRwAwRAIgZKQ1X2PVsiDlRKfG
e+SMI38Ig42CGuPEGx4ZkG9yYKUCIHwTaiJpl4GYztHLvp/eNul97JjIYQwb9uDR
OPVK5wvP
-----END CERTIFICATE-----
`;

/** The public test key that belongs to {@link publicTestCertificate}; it protects nothing. */
export const publicTestKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgwEFkjT0/nHWUNhZQ
oGV8JnZ+xrJ28i79AUcgn6BYYFihRANCAATzzTp7+RbyC3E2bm3ZHpm9ua/B5kd7
7q8H9Y+NBcCR9QZ2lJ0rd8sqo5/A8tYpTl/krNGnbQ4PKzAMAmJkDtcI
-----END PRIVATE KEY-----
`;
