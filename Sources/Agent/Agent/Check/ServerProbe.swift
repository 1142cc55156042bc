// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformKit

/// Asks a server for an answer, without sending it anything: name, connection, TLS, HTTP.
struct ServerProbe: CheckProbe {
    let setting: CheckSetting
    let server: CheckServer

    private var subject: CheckSubject { CheckSubject(.server, server.name) }
    var subjects: [CheckSubject] { [subject] }

    func run(_ report: (CheckFinding) -> Void) { report(finding) }

    private var finding: CheckFinding {
        if server.url.isEmpty, let problem = PostAddress(server.url).problem {
            return CheckFinding(
                subject, .failed, problem, remedy: "leave the study and enrol again with --post-url ADDRESS")
        }
        let start = setting.clock.monotonic
        let answer = ServerContact.ask(server.url)
        let time = setting.clock.monotonic - start
        let finding = ServerVerdict(url: server.url, answer: answer, time: time).finding(subject)
        return finding.result == .ok ? inspected(finding) : finding
    }

    private func inspected(_ finding: CheckFinding) -> CheckFinding {
        guard let destination = server.destination else { return finding }
        do {
            let client = try HTTPClient(userAgent: AgentVersion.userAgent)
            let more = try destination.inspect(by: client, at: setting.clock.now)
            let detail = [finding.detail, more].compactMap(\.self).joined(separator: "; ")
            guard let need = destination.warning(at: setting.clock.now) else {
                return CheckFinding(finding.subject, .ok, detail)
            }
            return CheckFinding(finding.subject, .warning, "\(detail); \(need.finding)", remedy: need.remedy)
        } catch {
            return CheckFinding(finding.subject, failure: error, remedy: "look at the table of studyd.toml")
        }
    }
}

/// Says that there is no server to ask.
struct NoServerProbe: CheckProbe {
    var subjects: [CheckSubject] { [CheckSubject(.server, "study")] }

    func run(_ report: (CheckFinding) -> Void) {
        report(
            CheckFinding(
                subjects[0], .skipped,
                "no study is enrolled and no [upload] is configured, so there is no server to test"))
    }
}
