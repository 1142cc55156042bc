// SPDX-License-Identifier: Apache-2.0
import Base

/// Finds what holds up the agent at every boot without a network.
struct BootProbe: CheckProbe {
    let cloudInit: CloudInit

    var subjects: [CheckSubject] { cloudInit.verdict == .idle ? [] : [Self.subject] }
    private static let subject = CheckSubject(.boot, "cloud-init")

    func run(_ report: (CheckFinding) -> Void) {
        guard let (cause, remedy) = complaint else { return }
        let detail = "holds up every boot without a network for up to two minutes; \(cause)"
        report(CheckFinding(Self.subject, .warning, detail, remedy: remedy))
    }

    private var complaint: (cause: String, remedy: String)? {
        let off = "touch /etc/cloud/cloud-init.disabled"
        switch cloudInit.verdict {
        case .idle: return nil
        case .removable: return ("nothing needs it any more", off)
        case .unfinished: return ("it has not finished its first boot", "let it finish, then \(off)")
        case .needed(let key, let line):
            return ("'\(key)' in line \(line) of user-data is for every boot", "if it is no longer needed, \(off)")
        }
    }
}
