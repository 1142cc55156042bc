// SPDX-License-Identifier: Apache-2.0

/// How a server and its client prove to each other who they are. Paths of PEM files.
package struct ServerCredentials: Sendable, Hashable {
    /// Certificates that are trusted instead of the system's.
    package var authority: String?
    package var certificate: String?
    /// Of the certificate.
    package var key: String?
    /// Goes with each request as `Authorization: Bearer` (RFC 6750).
    package var token: String?

    package init() {}
}
