// SPDX-License-Identifier: Apache-2.0
import Study

/// Header fields that `HTTPClient` sends to the lab's receiver alone: never to another origin (RFC 6454), whether a
/// redirect leads there or a place that the server named for a file.
struct LabHeaders: Sendable, Hashable {
    private let headers: [WireRequest.Header]
    private let address: String

    init(_ headers: [WireRequest.Header], to address: String) {
        self.headers = headers
        self.address = address
    }

    func fields(for url: String) -> [WireRequest.Header] { applies(to: url) ? headers : [] }

    func applies(to url: String) -> Bool {
        WebOrigin(url) == WebOrigin(address) || WebOrigin.isUpgrade(address, url)
    }
}
