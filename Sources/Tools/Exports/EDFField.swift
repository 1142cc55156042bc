// SPDX-License-Identifier: Apache-2.0
import Base

/// The fields of an EDF+ header, for `EDFLayout` and `ButtonEDFExporter`. Source: edfplus.info.
enum EDFField {
    /// The label of the signal that holds annotations.
    static let annotationLabel = "EDF Annotations"
    private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

    /// The first 256 bytes: version, patient, recording, date, time, length of the header, kind of file, number and
    /// duration of records, number of signals.
    static func head(
        patient: String, device: String, start: Instant, isDateKnown: Bool, records: Int, duration: String,
        signals: Int
    ) -> [UInt8] {
        let local = LocalDateTime(start, offset: 0)
        var text = bytes("0", 8)
        text += bytes("\(patient) X X X", 80)
        text += bytes("Startdate \(isDateKnown ? longDate(local) : "X") X X \(device)", 80)
        text += bytes(shortDate(local), 8) + bytes(clock(local), 8)
        text += bytes("\(256 * (signals + 1))", 8) + bytes("EDF+C", 44)
        return text + bytes("\(records)", 8) + bytes(duration, 8) + bytes("\(signals)", 4)
    }

    /// Printable ASCII, padded with blanks.
    static func bytes(_ text: String, _ width: Int) -> [UInt8] {
        let bytes = printable(text).prefix(width)
        return bytes + [UInt8](repeating: 32, count: width - bytes.count)
    }

    /// Subfields are separated by blanks and have none themselves. 40 bytes leave room for those after it,
    /// without which readers refuse the file.
    static func word(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "X" }
        let word = printable(String(text.map { $0.isWhitespace ? "_" : $0 }))
        return String(decoding: word.prefix(40), as: UTF8.self)
    }

    private static func printable(_ text: String) -> [UInt8] {
        text.utf8.map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }
    }

    private static func longDate(_ local: LocalDateTime) -> String {
        let (year, month, day) = local.date.components
        return "\(day.padded(2))-\(months[month - 1])-\(year.padded(4))"
    }

    private static func shortDate(_ local: LocalDateTime) -> String {
        let (year, month, day) = local.date.components
        return [day, month, year % 100].map { $0.padded(2) }.joined(separator: ".")
    }

    private static func clock(_ local: LocalDateTime) -> String {
        [local.time.hour, local.time.minute, local.time.second].map { $0.padded(2) }.joined(separator: ".")
    }
}
