// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc

/// Listens to the receiver at the board's speed, and at the usual others where
/// nothing sensible comes.
struct PositionProbe: CheckProbe {
    /// A receiver speaks once a second.
    private static let first: Duration = .milliseconds(2300)
    private static let other: Duration = .milliseconds(1250)
    /// This many valid checksums prove a speed.
    private static let proof = 2
    let setting: CheckSetting

    var subjects: [CheckSubject] { [CheckSubject(.position, "position")] }

    func run(_ report: (CheckFinding) -> Void) {
        guard let path = setting.opener.serialPath, let board = setting.board.position else { return }
        let remedy = "enable_uart=1 in config.txt, no console= on that port in cmdline.txt, and the group dialout"
        report(
            CheckFinding(subjects[0], remedy: remedy) {
                var verdict = PositionVerdict(expected: board.baud)
                verdict.add(try listen(path, board.baud, for: Self.first, until: { _ in false }))
                for speed in BaudSearch.usual where speed != board.baud && !verdict.isReadable {
                    verdict.add(try listen(path, speed, for: Self.other) { $0.sentences >= Self.proof })
                }
                return verdict.finding(subjects[0])
            })
    }

    private func listen(
        _ path: String, _ baud: Int, for timeout: Duration, until isEnough: (PositionReport) -> Bool
    ) throws -> PositionReport {
        let port = try setting.opener.open("position", path) { try SerialPort.open(path: path, baud: baud) }
        let deadline = setting.clock.monotonic + timeout
        var report = PositionReport(baud: baud)
        var buffer = [UInt8](repeating: 0, count: 512)
        while case let left = deadline - setting.clock.monotonic, left > .zero, !isEnough(report) {
            var waiting = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(left.milliseconds)) > 0 else { continue }
            guard let count = try buffer.withUnsafeMutableBytes({ try port.read(into: $0) }) else { continue }
            report.add(buffer[..<count])
        }
        report.end()
        return report
    }
}
