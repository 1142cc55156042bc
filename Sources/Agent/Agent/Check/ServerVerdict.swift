// SPDX-License-Identifier: Apache-2.0
import Base

/// Judges what a server answered to `ServerProbe`. Pure.
struct ServerVerdict: Sendable {
    let url: String
    let answer: Result<Int, TransportError>
    let time: Duration

    /// Any answer proves name, connection and TLS; what it thinks of an empty request is no fault
    /// of the device's.
    func finding(_ subject: CheckSubject) -> CheckFinding {
        switch answer {
        case .success(let status):
            let detail = "\(url) answered \(status) in \((time.seconds * 1000).text(0)) ms"
            // 501 only says that the server does not implement this request.
            guard status >= 500, status != 501 else { return CheckFinding(subject, .ok, detail) }
            return CheckFinding(
                subject, .warning, detail,
                remedy: "the server has a problem: tell whoever runs it; studyd keeps trying")
        case .failure(let error):
            return CheckFinding(
                subject, .failed, "\(url): \(stage(error.kind)): \(error.message)", remedy: remedy(error.kind))
        }
    }

    private func stage(_ kind: TransportError.Kind) -> String {
        switch kind {
        case .resolve: "host name not found"
        case .connect: "no connection"
        case .tls: "TLS failed"
        case .timeout: "no answer in time"
        default: "no answer"
        }
    }

    private func remedy(_ kind: TransportError.Kind) -> String {
        switch kind {
        case .resolve: "check the address, and the network and its name server (`ip addr`, `resolvectl`)"
        case .connect: "check that the server runs, its port, and that no firewall is in between"
        case .tls: "check the device's clock, the certificate of the server, and the package ca-certificates"
        case .timeout: "check the network, and whether it needs a login on a web page first"
        default: "check the address in the study or in studyd.toml"
        }
    }
}
