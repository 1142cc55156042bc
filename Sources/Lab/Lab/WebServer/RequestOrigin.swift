// SPDX-License-Identifier: Apache-2.0

/// Who sent a request, and over what: `TrustedProxies` finds out, routes and gates ask.
struct RequestOrigin: Sendable, Hashable {
    /// The client's address, `192.0.2.7` or `2001:db8::7`; empty where there is none. Behind a
    /// trusted proxy, that of the proxy's client.
    let client: String
    /// True for a program of this machine. What a proxy passed on never counts as such.
    let isLoopback: Bool
    /// True when a trusted proxy says that it came by https.
    let isSecure: Bool
}
