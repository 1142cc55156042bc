// SPDX-License-Identifier: Apache-2.0
import Base
import CCurl

/// Why a request got no answer; `HTTPClient` throws it.
package struct TransportError: ExplainedError, Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case resolve, connect, timeout, tls, tooLarge, tooManyRedirects, closed, badRequest, file, stopped, portal,
            other
    }

    package let kind: Kind
    package let url: String
    /// libcurl's own words, or ours.
    package let message: String
    /// The whole request was sent before the error: the server may have it.
    package var mayHaveArrived = false

    package var explanation: Explanation { Explanation(place: url, cause: message, remedy: remedy) }

    /// For the agent, and for a command, which has ended with this error.
    private static let again = "studyd that runs tries again by itself; give a command again"

    private var remedy: String {
        switch kind {
        case .resolve: "check the address, and that the device has a network and a name server"
        case .connect: "check that the server runs and no firewall is in between"
        case .timeout: "the server or the network is slow: \(Self.again)"
        case .tls:
            "check the device's clock and the server's certificate; a lab's own authority is trusted by `ca_file` of a destination, "
                + "or among the system's (update-ca-certificates)"
        case .tooLarge: "the answer was cut off: is this the study's server?"
        case .tooManyRedirects: "check the address with a browser"
        case .closed: "the connection broke: \(Self.again)"
        case .badRequest: "check the address in the study or in studyd.toml"
        case .file: "the file is gone or was changed: check the disk"
        case .stopped: "cancelled because studyd is stopping"
        case .portal:
            "log the device in to its network, use another network, or correct the address if the server has moved"
        case .other: Self.again
        }
    }
}

extension TransportError.Kind {
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .resolve
        case CURLE_COULDNT_CONNECT: self = .connect
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case _ where studyd_curl_is_tls(code) != 0: self = .tls
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR: self = .closed
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: self = .badRequest
        case CURLE_READ_ERROR: self = .file
        case CURLE_ABORTED_BY_CALLBACK: self = .stopped
        default: self = .other
        }
    }
}
