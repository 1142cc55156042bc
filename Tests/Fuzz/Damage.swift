// SPDX-License-Identifier: Apache-2.0
import Base
import FuzzDice

/// A damage to a recording: to its file or to its description.
enum Damage: String, CaseIterable, Sendable {
    // To the file.
    case cut, cutUnit, zeroed, ones, flipped, overwritten, inserted, removed, unitRemoved, unitsSwapped, unitRepeated,
        header, appended
    case foreign, passwords, random, empty, wordsSwapped, fieldResummed
    // To the description.
    case descriptionFlipped, descriptionCut, lineRemoved, linesSwapped, digitChanged, otherDescription,
        descriptionEmpty, descriptionGone
    /// Changed and sealed again, as by hand.
    case counted, moved, renumbered, rescaled, reclocked

    /// The file itself is damaged.
    var isOfFile: Bool { Self.allCases.prefix { $0 != .descriptionFlipped }.contains(self) }

    /// A recording and what is left of its description; nil when nothing was changed.
    func applied(
        to item: DamageCorpus.Item, among items: [DamageCorpus.Item], _ dice: inout Dice
    ) -> (content: [UInt8], description: [UInt8]?)? {
        if isOfFile {
            let content = file(item, items, &dice)
            return content == item.content ? nil : (content, item.description)
        }
        let description = changed(item, items, &dice)
        return description == item.description ? nil : (item.content, description)
    }

    private func file(_ item: DamageCorpus.Item, _ items: [DamageCorpus.Item], _ dice: inout Dice) -> [UInt8] {
        var out = item.content
        let place = dice.below(out.count)
        let stretch = place..<min(out.count, place + 1 + dice.below(600))
        switch self {
        case .cut: out.removeLast(out.count - place)
        case .zeroed: for index in stretch { out[index] = 0 }
        case .ones: for index in stretch { out[index] = 0xFF }
        case .flipped: out[place] ^= 1 << UInt8(dice.below(8))
        case .overwritten: for index in stretch.prefix(8) { out[index] = UInt8(truncatingIfNeeded: dice.next()) }
        case .inserted:
            out.insert(contentsOf: (0...dice.below(40)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }, at: place)
        case .removed: out.removeSubrange(stretch)
        case .header: out[dice.below(min(out.count, 64))] = UInt8(truncatingIfNeeded: dice.next())
        case .appended:
            let isZero = dice.below(2) == 0
            out += (0...dice.below(1024)).map { _ in isZero ? 0 : UInt8(truncatingIfNeeded: dice.next()) }
        case .foreign: out = items[dice.below(items.count)].content
        case .passwords:
            out = Array("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:\(dice.below(9)):/usr/sbin:/bin/sh\n".utf8)
        case .random: out = (0...dice.below(4000)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        case .empty: out = []
        case .wordsSwapped, .fieldResummed: block(&out, item, &dice)
        default: out = Units(item).changed(self, &dice)
        }
        return out
    }

    /// Damage that the additive checksum of a CWA block does not show, or that it was made to fit.
    private func block(_ out: inout [UInt8], _ item: DamageCorpus.Item, _ dice: inout Dice) {
        guard item.ending == "cwa", out.count > 1536 else {
            out[dice.below(out.count)] ^= 0x40
            return
        }
        let start = 1024 + 512 * dice.below((out.count - 1024) / 512)
        if self == .wordsSwapped {
            let (one, other) = (start + 30 + 2 * dice.below(240), start + 30 + 2 * dice.below(240))
            for offset in 0..<2 { out.swapAt(one + offset, other + offset) }
            return
        }
        out[start + 4 + dice.below(26)] = UInt8(truncatingIfNeeded: dice.next())
        (out[start + 510], out[start + 511]) = (0, 0)
        var sum: UInt16 = 0
        for index in stride(from: start, to: start + 512, by: 2) {
            sum &+= UInt16(out[index]) | UInt16(out[index + 1]) << 8
        }
        sum = 0 &- sum
        (out[start + 510], out[start + 511]) = (UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8))
    }

    private func changed(_ item: DamageCorpus.Item, _ items: [DamageCorpus.Item], _ dice: inout Dice) -> [UInt8]? {
        var out = item.description
        let place = dice.below(out.count)
        switch self {
        case .descriptionFlipped: out[place] ^= 1 << UInt8(dice.below(8))
        case .descriptionCut: out.removeLast(out.count - place)
        case .descriptionEmpty: out = []
        case .descriptionGone: return nil
        case .otherDescription: out = items[dice.below(items.count)].description
        case .digitChanged:
            let digits = out.indices.filter { (48...57).contains(out[$0]) }
            out[digits[dice.below(digits.count)]] = 48 + UInt8(dice.below(10))
        case .lineRemoved, .linesSwapped:
            var lines = out.split(separator: 0x0A, omittingEmptySubsequences: false)
            let line = dice.below(lines.count - 1)
            if self == .lineRemoved { lines.remove(at: line) } else { lines.swapAt(line, dice.below(lines.count)) }
            out = Array(lines.joined(separator: [0x0A]))
        default: return resealed(item, &dice)
        }
        return out
    }

    /// What somebody makes of a description by hand who seals it again: only the file can tell.
    private func resealed(_ item: DamageCorpus.Item, _ dice: inout Dice) -> [UInt8]? {
        guard var description = try? RecordingDescription(json: item.description, path: item.name) else { return nil }
        let sign = dice.below(2) == 0 ? 1 : -1
        switch self {
        case .counted: description.samplesStored += sign * (1 + dice.below(500))
        case .moved:
            let shift = Double(sign) * (3 + Double(dice.below(80)))
            if dice.below(2) == 0 { description.startUptime += shift } else { description.endUptime += shift }
        case .renumbered: description.number += 1 + dice.below(9)
        case .rescaled:
            description.nominalRate *= [0.5, 2, 1.3][dice.below(3)]
            for index in description.channels.indices { description.channels[index].scale *= 2 }
        default:
            if dice.below(2) == 0 { description.bytes += sign } else { description.anchors = [] }
        }
        return try? DamageRun.sealed(&description)
    }
}

/// The parts that a file consists of: blocks of CWA, lines of text, elsewhere
/// stretches of 512 bytes.
private struct Units {
    private let head: [UInt8]
    private let units: [[UInt8]]
    private let isCompressed: Bool

    init(_ item: DamageCorpus.Item) {
        isCompressed = item.ending.hasSuffix(".gz")
        let content = isCompressed ? DamageRun.unpacked(item.content) : item.content
        let start = item.ending == "cwa" ? 1024 : 0
        head = Array(content[..<start])
        if isCompressed || item.ending == "nmea" {
            var lines = content.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
            lines.removeLast()
            units = lines
        } else {
            units = stride(from: start, to: content.count, by: 512).map {
                Array(content[$0..<min(content.count, $0 + 512)])
            }
        }
    }

    func changed(_ damage: Damage, _ dice: inout Dice) -> [UInt8] {
        var units = units
        let (one, other) = (dice.below(units.count), dice.below(units.count))
        switch damage {
        case .cutUnit: units.removeLast(units.count - one)
        case .unitRemoved: units.removeSubrange(one..<min(units.count, one + 1 + dice.below(3)))
        case .unitsSwapped: units.swapAt(one, other)
        default: units.insert(units[one], at: other)
        }
        let content = head + units.joined()
        return isCompressed ? DamageRun.packed(content) : content
    }
}
