// SPDX-License-Identifier: Apache-2.0
import Device

/// What a receiver said at one speed. Pure.
struct PositionReport: Sendable {
    let baud: Int
    private(set) var bytes = 0
    private(set) var sentences = 0
    /// The best fix: 0 nothing known, 1 no position, 2 without height, 3 with height.
    private(set) var mode = 0
    private(set) var satellites: Int?
    /// Everything that was heard, which is little: at most some seconds of it.
    private var received: [UInt8] = []
    private static let mostBytes = 1 << 20

    init(baud: Int) { self.baud = baud }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        self.bytes += bytes.count
        received += bytes.prefix(max(0, Self.mostBytes - received.count))
        decode(isAll: false)
    }

    /// The last epoch has no successor that would end it.
    mutating func end() { decode(isAll: true) }

    /// Decodes all of it again, from the beginning.
    private mutating func decode(isAll: Bool) {
        var framer = NMEAFramer()
        var epochs = NMEAEpochs()
        var fixes: [Fix] = []
        framer.append(received) { sentence in if let fix = epochs.append(sentence) { fixes.append(fix) } }
        if isAll, let fix = epochs.flush() { fixes.append(fix) }
        sentences = framer.sentences
        mode = fixes.map(\.mode).max() ?? 0
        satellites = fixes.compactMap(\.satellites).last
    }
}

/// What a receiver said at the speeds that were tried. Pure.
struct PositionVerdict: Sendable {
    private let expected: Int
    private var hearings: [PositionReport] = []

    /// A verdict on a receiver that should speak at that speed.
    init(expected: Int) { self.expected = expected }

    /// Takes in what was heard at the next speed.
    mutating func add(_ hearing: PositionReport) { hearings.append(hearing) }

    /// True once a speed was found.
    var isUnderstood: Bool { understood != nil }
    private var understood: PositionReport? { hearings.first { $0.sentences >= 2 } }

    func finding(_ subject: CheckSubject) -> CheckFinding {
        guard let heard = understood else { return silence(subject) }
        let detail = "\(heard.bytes) bytes, \(heard.sentences) sentences at \(heard.baud) baud, \(fix(heard))"
        if heard.baud != expected {
            return CheckFinding(
                subject, .warning, "readable at \(heard.baud) baud instead of \(expected): \(detail)",
                remedy:
                    "studyd finds the speed too, but loses the first fixes: set baud = \(heard.baud) under [position] in the board file"
            )
        }
        guard heard.mode >= 2 else {
            return CheckFinding(
                subject, .warning, detail,
                remedy:
                    "place the antenna under open sky; a first fix takes half a minute, or up to 15 minutes after months without power"
            )
        }
        return CheckFinding(subject, .ok, detail)
    }

    private func fix(_ heard: PositionReport) -> String {
        let satellites = heard.satellites.map { ", \($0) satellites" } ?? ""
        return ["no fix", "no fix", "fix without height", "fix with height"][min(3, max(0, heard.mode))] + satellites
    }

    private func silence(_ subject: CheckSubject) -> CheckFinding {
        let bytes = hearings.reduce(0) { $0 + $1.bytes }
        let speeds = hearings.map { "\($0.baud)" }.joined(separator: ", ")
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
