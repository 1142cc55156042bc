// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// CWA: every block's marker, length and checksum, their sequence, their times, and what must be the same in
/// all of them. `studyd recordings verify` asks for it through `CWAFormat`.
struct CWACheck {
    let description: RecordingDescription?

    func check(_ file: File, _ found: inout ContentCheck) throws(FileError) {
        found.isLocal = true
        // An empty file is right where the disk took not even the header.
        if try file.size() == 0, description?.samplesStored == 0 { return }
        let reader = try CWAReader(file)
        var blocks = BlockCheck(header: reader.header)
        var first: CWABlock?
        while let block = try reader.nextBlock() {
            if first == nil { first = block }
            blocks.check(block, at: reader.position)
            found.stored += block.count
        }
        (found.first, found.last) = (blocks.first, blocks.last)
        found.problems += try headerProblems(file, reader.header, first)
        if reader.damagedBlocks > 0 { found.problems.append("damaged blocks: \(reader.damagedBlocks)") }
        if reader.tornBytes > 0 { found.problems.append("\(reader.tornBytes) trailing bytes: incomplete block") }
        found.problems += blocks.problems
        found.noise += blocks.noise
        if reader.header?.isOurs != true, found.stored == 0 { found.problems.append("no intact block") }
        if let description { compare(description, reader.header, first, &found) }
    }

    private func headerProblems(_ file: File, _ header: CWAHeader?, _ block: CWABlock?) throws(FileError)
        -> [String]
    {
        let bytes = try file.read(CWAHeader.size, at: 0)
        // The header's length field: 1024 or 512 bytes, less 4.
        guard let header, bytes.uint16(2) == 1020 || bytes.uint16(2) == 508 else { return ["the header is damaged"] }
        var problems: [String] = []
        // An AX3 (0x17, or 0x00 or 0xFF) or an AX6 (0x64).
        if ![0x00, 0xFF, 0x17, 0x64].contains(header.hardwareType) {
            problems.append("the header names an unknown device")
        }
        // We fill every byte, so that ours can be made again from what it says.
        if header.isOurs, header.bytes != bytes { problems.append("the header is damaged") }
        guard let block else { return problems }
        if header.rateCode != block.rateCode, block.rateCode != 0 {
            problems.append("the header's rate or range differs from the blocks")
        }
        if header.sessionID != block.sessionID { problems.append("the header's session differs from the blocks") }
        let rotates = block.packing.axes > 3
        if rotates, header.sensorConfig & 0x0F != block.gyroscopeRange {
            problems.append("the header's gyroscope range differs from the blocks")
        }
        if header.isOurs { problems += startProblems(header, block) }
        return problems
    }

    /// The header's start is that of the first sample; up to a minute of samples may have been
    /// given up before the first whole block.
    private func startProblems(_ header: CWAHeader, _ block: CWABlock) -> [String] {
        guard let start = header.start?.local, let first = block.local(of: 0) else {
            return ["the header has no start"]
        }
        let distance = (first.instant(offset: 0) - start.instant(offset: 0)).seconds
        return distance > -1 && distance < 65 + Double(block.count) / block.rate
            ? [] : ["the header's start differs from the first block"]
    }

    private func compare(
        _ description: RecordingDescription, _ header: CWAHeader?, _ block: CWABlock?, _ found: inout ContentCheck
    ) {
        guard let header else { return }
        found.expect(header.deviceID == description.deviceNumber, "the header's device differs from the description")
        found.expect(
            header.sessionID == UInt32(truncatingIfNeeded: description.number),
            "the header belongs to another recording")
        let isKnown = description.clock == .anchored
        let pairs: [(String, String?)] = [
            ("_s", description.study), ("_v", description.participant), ("_p", description.bodyLocation),
            ("device", description.device), ("clock", isKnown ? "local" : "uptime"),
            ("zone", isKnown ? description.zone : nil), ("offset", isKnown ? description.offset : nil),
        ]
        // What did not fit into the annotation is not in it.
        for (name, value) in pairs {
            if let written = header[name] {
                found.expect(written == value, "the header's '\(name)' differs from the description")
            }
        }
        let isNear = abs(description.nominalRate / header.rate - 1) <= CWAWriter.rateTolerance + 1e-9
        found.expect(isNear, "the header's rate differs from the description")
        if let block { compareScales(description, block, &found) }
    }

    /// Descriptions before version 1 have the chip's scales.
    private func compareScales(
        _ description: RecordingDescription, _ block: CWABlock, _ found: inout ContentCheck
    ) {
        guard description.schemaVersion != nil else { return }
        let (acceleration, rotation) = (
            Double(block.accelerationMillionths) / 32_768e6, Double(block.rotationMillionths) / 32_768e6
        )
        for channel in description.channels {
            let scale = channel.unit == "g" ? acceleration : rotation
            found.expect(
                abs(channel.scale / scale - 1) < 1e-6, "the scale of \(channel.name) differs from the description")
        }
        found.expect(
            description.channels.count == block.packing.axes,
            "its \(block.packing.axes) channels differ from the description")
    }
}

extension CWAHeader {
    /// Written by studyd.
    var isOurs: Bool { self["clock"] != nil && self["device"] != nil }
}

/// Takes the blocks of a CWA file one after another, and counts what is wrong with them.
private struct BlockCheck {
    /// Seconds of the file's wall clock since 2000-01-01 of its first and last sample.
    var first: Double?
    var last: Double?
    private let isOurs: Bool
    /// The first block.
    private var model: CWABlock?
    /// A block's sequence number less its place in the file: the same for all as long as none is missing.
    private var base: Int?
    /// When the next sample is due; as `first`.
    private var end: Double?
    private var displaced = 0
    private var backwards = 0
    private var undated = 0
    private var different = 0
    private var short = 0

    init(header: CWAHeader?) { isOurs = header?.isOurs ?? false }

    var problems: [String] {
        var problems: [String] = []
        if displaced > 0 { problems.append("blocks missing, repeated or out of order: \(displaced)") }
        if different > 0 { problems.append("blocks of another kind or session than the first: \(different)") }
        if short > 0 { problems.append("incomplete blocks: \(short)") }
        if undated > 0 { problems.append("blocks without a valid time: \(undated)") }
        return problems
    }

    /// Not always damage: also a clock that was set, or a chip whose rate moved. It counts only where no digest
    /// confirms the bytes.
    var noise: [String] { backwards > 0 ? ["times going backwards: \(backwards)"] : [] }

    mutating func check(_ block: CWABlock, at position: Int) {
        let model = self.model ?? block
        self.model = model
        checkOrder(block, at: position)
        if block.packing != model.packing || block.rateCode != model.rateCode || block.sessionID != model.sessionID
            || block.accelerometerScale != model.accelerometerScale || block.gyroscopeRange != model.gyroscopeRange
        {
            different += 1
        }
        if isOurs, block.count != block.packing.capacity || block.timeIndex != 0 { short += 1 }
        checkTime(block)
    }

    /// Counts jumps of the sequence number, from that of the first good block on. A device that was started
    /// again begins from 0 (openmovement, Docs/ax3/cwa.h).
    private mutating func checkOrder(_ block: CWABlock, at position: Int) {
        let sequence = Int(block.sequence)
        let expected = base ?? (isOurs ? 0 : sequence - position)
        guard sequence - position != expected else {
            base = expected
            return
        }
        base = sequence - position
        if isOurs || sequence != 0 { displaced += 1 }
    }

    /// Counts steps back in time: by more than a quarter of a block, which lies beyond any error of the rate
    /// that the file names.
    private mutating func checkTime(_ block: CWABlock) {
        guard let local = block.local(of: 0) else {
            undated += 1
            return
        }
        let start = (local.instant(offset: 0) - RecordingTimes.uptimeEpoch).seconds
        let length = Double(block.count) / max(block.rate, 1e-3)
        if let end, start < end - length / 4 - 0.05 { backwards += 1 }
        if first == nil { first = start }
        end = start + length
        last = start + length * Double(block.count - 1) / Double(block.count)
    }
}
