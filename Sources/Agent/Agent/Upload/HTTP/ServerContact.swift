// SPDX-License-Identifier: Apache-2.0

/// Whether a server answers at all, within four seconds and without sending it anything: for `studyd enroll`, `check`
/// and `takeover`. Blocks.
package enum ServerContact {
    /// The status of its answer.
    static func ask(_ url: String) -> Result<Int, TransportError> {
        var limits = HTTPLimits()
        limits.connect = .seconds(3)
        limits.total = .seconds(4)
        limits.slow = .seconds(3)
        let request = HTTPRequest(method: "HEAD", url: url, redirects: .sameHost, limits: limits)
        return Result { () throws(TransportError) in
            try HTTPClient(userAgent: AgentVersion.userAgent).send(request).status
        }
    }

    /// Why there is no answer; nil where there is one, whatever its status.
    package static func problem(_ url: String) -> String? {
        if case .failure(let error) = ask(url) { error.message } else { nil }
    }
}
