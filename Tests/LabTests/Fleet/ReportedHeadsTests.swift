// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent
@testable import Lab

/// A device of which no upload goes to the lab: its reports tell where the log stands, and the receiver
/// confirms it.
@Suite(.timeLimit(.minutes(10))) struct ReportedHeadsTests {
    private let now = Instant(seconds: 1_780_000_000)
    private let stamps = EventClock(clock: StillClock(), bootID: "boot", zone: .utc)

    /// Each other report's answer is lost, and the study's own server is sent answers meanwhile.
    @Test func reportsAloneHaveTheLogConfirmedWithoutAFalseAlarm() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                let database = try StudyDatabase(.memory)
                var last: Int64 = 0
                for number in 1...8 as ClosedRange<Int64> {
                    let stamp = stamps.stamp("e1")
                    try await database.append([.agentStarted(version: "\(number)")], at: stamp)
                    let witness = try #require(try await database.tellHead(report: number, at: stamp))
                    let answer = try await TestDevice(1).report(
                        FleetSamples.text, to: url, at: now, telling: witness)
                    let signed = try #require(answer.countersigned, "report \(number): \(answer.answer)")
                    guard number.isMultiple(of: 2) else { continue }
                    try await database.append([.headConfirmed(countersigned: signed)], at: stamp)
                    last = try #require(Countersignature(signed)).sequence
                }
                let confirmed = try await database.confirmedRows()
                #expect(confirmed.faults.isEmpty && confirmed.confirmations.map(\.sequence) == [last])
                #expect(try await database.verifyLog() == nil)
                let logs = try await run(["curl", "-s", url + "/api/logs"])
                #expect(logs.contains("\"sequence\":\(last)") && logs.contains("\"alarms\":[]"), "\(logs)")
                #expect(logs.contains("\"user\":\"board-1\""))
            }
        }
    }

    /// Nor does it begin one of an unknown device.
    @Test(arguments: [(true, "HTTP/1.1 403"), (false, "HTTP/1.1 200")])
    func aReportThatIsRefusedLeavesNoLog(isRevoked: Bool, status: String) async throws {
        try await withFolder { folder in
            try await withReceiver(folder) { url, _ in
                if isRevoked {
                    try await DeviceKeys(.file(folder + "/devices.sqlite")).revoke("P007", at: now)
                }
                let log = "Studyd-Log: \(String(repeating: "ab", count: 16)) 3:\(String(repeating: "0", count: 32))"
                let answer = try await run(
                    [
                        "curl", "-s", "-i", "--data-binary", "@-", "-H", log, "-H", "Studyd-Device: P007",
                        url + "/reports",
                    ], input: try FleetSamples.value(["device": "\"P007\""]).text)
                #expect(answer.hasPrefix(status), "\(answer)")
                let logs = try await run(["curl", "-s", url + "/api/logs"])
                #expect(logs.contains("\"sequence\":3") == !isRevoked, "\(logs)")
            }
        }
    }

    /// A log that goes on from an older copy of itself is found out by the next report.
    @Test func aLogThatLostItsEndIsNamedByTheNextReport() async throws {
        try await withFolder { folder in
            try await withReceiver(folder, { $0.deviceKeys = .pin }, clock: StillClock()) { url, _ in
                let path = folder + "/studyd.sqlite"
                let tell = { (number: Int64) in
                    let database = try StudyDatabase(.file(path))
                    let witness = try await database.tellHead(report: number, at: stamps.stamp("e1"))
                    _ = try await TestDevice(1).report(FleetSamples.text, to: url, at: now, telling: witness)
                }
                try await tell(1)
                try FileManager.default.copyItem(atPath: path, toPath: path + ".old")
                try await tell(2)
                try await tell(3)
                for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
                try? FileManager.default.removeItem(atPath: folder + "/studyd.head")
                try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
                try await tell(4)
                #expect(try await run(["curl", "-s", url + "/api/logs"]).contains("the log was rewritten"))
            }
        }
    }
}
