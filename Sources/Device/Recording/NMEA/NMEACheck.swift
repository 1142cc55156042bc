// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// NMEA 0183: every sentence's checksum, the order of times, and our own `$PSTDY` lines.
/// `studyd recordings verify` asks for it through `NMEAFormat`.
extension ContentCheck {
    mutating func checkSentences(_ lines: TextLines) throws(FileError) {
        // The last epoch may be long.
        endTolerance = 90
        var found = SentenceCheck()
        while let line = try lines.next() { found.check(line, hasEnd: !lines.isTorn) }
        (stored, first, last) = (found.isOurs ? found.bytes : found.sentences, found.first, found.last)
        if lines.isTorn { problems.append("the last line is truncated") }
        if found.sentences == 0 { problems.append("no complete sentence") }
        if found.ownFaults > 0 { problems.append("damaged $PSTDY lines: \(found.ownFaults)") }
        if found.ownBackwards > 0 { problems.append("$PSTDY times going backwards: \(found.ownBackwards)") }
        if found.contradictions > 0 {
            problems.append("$PSTDY times that contradict their uptimes: \(found.contradictions)")
        }
        if found.badSums > 0 { noise.append("sentences with a wrong checksum: \(found.badSums)") }
        if found.others > 0 { noise.append("lines that are not sentences: \(found.others)") }
        if found.backwards > 0 { noise.append("receiver times going backwards: \(found.backwards)") }
    }
}

/// Takes the lines of an NMEA log one after another, and counts what is wrong with them.
private struct SentenceCheck {
    var sentences = 0
    var bytes = 0
    var badSums = 0
    var others = 0
    var backwards = 0
    var ownFaults = 0
    var ownBackwards = 0
    /// Epochs up to which UTC and uptime have advanced by amounts that differ by more than a second.
    var contradictions = 0
    var isOurs = false
    var first: Double?
    var last: Double?
    private var timeOfDay: Double?
    /// Of the first epoch with a UTC: the file has one anchor, so from here both clocks advance together.
    private var clock: (uptime: Double, time: Instant)?

    mutating func check(_ line: ArraySlice<UInt8>, hasEnd: Bool) {
        let ours = NMEAFraming.ownSentence(in: line)
        guard ours.isEmpty else {
            bytes += line.count - ours.count
            return checkOwn(ours)
        }
        bytes += line.count + (hasEnd ? 1 : 0)
        guard let body = NMEAFraming.body(line) else {
            let isSentence = line.first == UInt8(ascii: "$")
            // An empty line is no damage; `!` begins what AIS receivers say, `#` a comment of the
            // person who kept the log.
            let isKnown = line.count <= 1 || line.first == UInt8(ascii: "!") || line.first == UInt8(ascii: "#")
            if isSentence { badSums += 1 } else if !isKnown { others += 1 }
            return
        }
        sentences += 1
        guard body.dropFirst(2).starts(with: "RMC,".utf8), let field = NMEAFraming.timeOfDay(Array(line)),
            let time = Double(Substring(decoding: field, as: UTF8.self))
        else { return }
        // The numbers are hhmmss: a fall by more than 20 hours is the next day.
        if let timeOfDay, time < timeOfDay, timeOfDay - time < 200_000 { backwards += 1 }
        timeOfDay = time
    }

    private mutating func checkOwn(_ line: ArraySlice<UInt8>) {
        isOurs = true
        guard let body = NMEAFraming.body(line) else {
            ownFaults += 1
            return
        }
        let fields = String(decoding: body, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 4, let uptime = UptimeText.time(fields[2]) else {
            ownFaults += 1
            return
        }
        let seconds = Double(uptime.nanoseconds) / 1e9
        switch fields[1] {
        case "G": if TextGap(line) == nil { ownFaults += 1 }
        case "E": checkEpoch(seconds, String(fields[3]))
        default: ownFaults += 1
        }
    }

    private mutating func checkEpoch(_ uptime: Double, _ text: String) {
        let time = Instant.parsed(text)
        if time == nil, !text.isEmpty { ownFaults += 1 }
        if let last, uptime < last { ownBackwards += 1 }
        if let clock, let time, abs((time - clock.time).seconds - (uptime - clock.uptime)) > 1 { contradictions += 1 }
        if clock == nil, let time { clock = (uptime, time) }
        (first, last) = (first ?? uptime, uptime)
    }
}
