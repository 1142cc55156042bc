// SPDX-License-Identifier: Apache-2.0
import Base

/// Dates and times as Sage's files spell them, for everything that goes into an archive.
enum SageDate {
    /// A moment, as every result has it: `2018-01-30T15:13:20.597-02:30`.
    static func text(_ instant: Instant, _ zone: Zone) -> String {
        let text = instant.rfc3339(in: zone, fractionDigits: 3)
        return text.hasSuffix("Z") ? text.dropLast() + "+00:00" : text
    }

    /// Whether `text` can write the whole format; it does not know names of months and days.
    static func isKnown(_ format: String) -> Bool {
        format.split(separator: "'", omittingEmptySubsequences: false).enumerated().allSatisfy { place, part in
            // Every second part is quoted.
            !place.isMultiple(of: 2) || !part.contains("MMM") && !part.contains("LLL") && part.allSatisfy(isKnown)
        }
    }

    private static func isKnown(_ letter: Character) -> Bool {
        !letter.isASCII || !letter.isLetter || "yMLdHhmsSaZXxz".contains(letter)
    }

    /// An answer in the format that its question has as `codingFormat`. Of the formats of Unicode's TR 35 it knows
    /// `y M d H h m s S a` and quoted letters; letters of zones are written as nothing.
    static func text(_ local: LocalDateTime, _ format: String) -> String {
        var text = ""
        var isQuoted = false
        var rest = Array(format)[...]
        while let first = rest.first {
            let run = rest.prefix { $0 == first }
            if first != "'" {
                text += isQuoted ? String(run) : field(first, run.count, local)
            } else {
                // Two quotes in a row are a literal one, within quoted letters, too.
                text += String(repeating: first, count: run.count / 2)
                if !run.count.isMultiple(of: 2) { isQuoted.toggle() }
            }
            rest = rest.dropFirst(run.count)
        }
        return text
    }

    private static func field(_ letter: Character, _ count: Int, _ local: LocalDateTime) -> String {
        let day = local.date.components
        func padded(_ number: Int) -> String { number.padded(min(count, 9)) }
        switch letter {
        case "y": return count == 2 ? padded(day.year % 100) : padded(day.year)
        case "M", "L": return padded(day.month)
        case "d": return padded(day.day)
        case "H": return padded(local.time.hour)
        case "h": return padded(local.time.hour % 12 == 0 ? 12 : local.time.hour % 12)
        case "m": return padded(local.time.minute)
        case "s": return padded(local.time.second)
        case "S": return String((String(local.time.nanosecond + 1_000_000_000).dropFirst()).prefix(count))
        case "a": return local.time.hour < 12 ? "AM" : "PM"
        case "Z", "X", "x", "z": return ""
        default: return String(repeating: letter, count: count)
        }
    }
}
