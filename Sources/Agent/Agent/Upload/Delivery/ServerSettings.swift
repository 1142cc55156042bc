// SPDX-License-Identifier: Apache-2.0

/// The address, credentials and limits of a web server, from keys that all tables of such servers share.
package struct ServerSettings: Sendable {
    package static let keys = [
        DestinationKey("url", .address), DestinationKey("token", .secret), DestinationKey("ca_file", .file),
        DestinationKey("certificate_file", .file), DestinationKey("key_file", .secret),
        DestinationKey("timeout_seconds", .duration(10...86_400)),
    ]

    package let url: String
    package private(set) var limits = HTTPLimits()
    private var credentials = ServerCredentials()
    /// Where the secret is (`SecretFile`), not the secret itself; nil = none is sent.
    private var token: String?

    package init(url: String) { self.url = url }

    package init(_ settings: DestinationSettings) throws(DestinationSettingError) {
        url = try settings.required("url")
        token = settings.text("token")
        credentials.authority = settings.text("ca_file")
        credentials.certificate = settings.text("certificate_file")
        credentials.key = settings.text("key_file")
        if let total = settings.duration("timeout_seconds") { limits.total = total }
        for (one, other) in [("certificate_file", "key_file"), ("key_file", "certificate_file")]
        where settings.text(one) != nil && settings.text(other) == nil {
            throw DestinationSettingError(key: other, cause: "is missing beside '\(one)'", remedy: "add it")
        }
    }

    /// Gives the client its credentials. Secrets are read each time, so that a replaced one is used. Throws
    /// where one cannot be read, or is readable by others.
    package func open(_ client: HTTPClient) throws {
        var credentials = credentials
        credentials.key = try credentials.key.map(SecretFile.path)
        credentials.token = try token.map(SecretFile.read)
        client.credentials = credentials
    }
}

/// How a server and its client prove to each other who they are. Paths of PEM files.
package struct ServerCredentials: Sendable, Hashable {
    /// Certificates that are trusted; nil = the system's.
    package var authority: String?
    /// The client's own, with its key; both nil = the client shows none.
    package var certificate: String?
    /// Of the certificate.
    package var key: String?
    /// The secret itself, which goes with each request as `Authorization: Bearer` (RFC 6750); nil = none does.
    package var token: String?

    package init() {}
}
