// SPDX-License-Identifier: Apache-2.0

/// Judges what `PositionProbe` received at the speeds that it tried. Pure.
struct PositionVerdict: Sendable {
    private let expected: Int
    private var reports: [PositionReport] = []

    init(expected: Int) { self.expected = expected }

    mutating func add(_ report: PositionReport) { reports.append(report) }

    /// True once a speed was found.
    var isReadable: Bool { readable != nil }
    private var readable: PositionReport? { reports.first { $0.sentences >= 2 } }

    func finding(_ subject: CheckSubject) -> CheckFinding {
        guard let report = readable else { return unreadable(subject) }
        let detail = "\(report.bytes) bytes, \(report.sentences) sentences at \(report.baud) baud, \(fix(report))"
        if report.baud != expected {
            return CheckFinding(
                subject, .warning, "readable at \(report.baud) baud instead of \(expected): \(detail)",
                remedy:
                    "studyd finds the speed too, but loses the first fixes: set baud = \(report.baud) under [position] in the board file"
            )
        }
        guard report.mode >= 2 else {
            return CheckFinding(
                subject, .warning, detail,
                remedy:
                    "place the antenna under open sky; a first fix takes half a minute, or up to 15 minutes after months without power"
            )
        }
        return CheckFinding(subject, .ok, detail)
    }

    private func fix(_ report: PositionReport) -> String {
        let satellites = report.satellites.map { ", \($0) satellites" } ?? ""
        return ["no fix", "no fix", "fix without height", "fix with height"][min(3, max(0, report.mode))] + satellites
    }

    private func unreadable(_ subject: CheckSubject) -> CheckFinding {
        let bytes = reports.reduce(0) { $0 + $1.bytes }
        let speeds = reports.map { "\($0.baud)" }.joined(separator: ", ")
        guard bytes > 0 else {
            return CheckFinding(
                subject, .failed, "no data received at \(speeds) baud",
                remedy:
                    "connect the receiver's TXD to the device's RXD, and check its power; its LED blinks when it has a fix"
            )
        }
        return CheckFinding(
            subject, .failed, "\(bytes) bytes received at \(speeds) baud, but no valid sentence",
            remedy:
                "another program uses the port (gpsd, a console), the ground wire is missing, or it does not speak NMEA"
        )
    }
}
