// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study

/// What a GPS receiver sends for one second at one place: `RMC`, `GGA` and `GSA` of NMEA 0183. For
/// `SimulatedRecorders`, and for the devices of `studyd-tools make-study`.
package struct SimulatedFix {
    /// Whole sentences with their ends of line.
    package let text: String

    /// `before` is the place one second before, for the speed over ground.
    package init(
        _ place: (latitude: Double, longitude: Double), at instant: Instant,
        since before: (latitude: Double, longitude: Double)
    ) {
        let local = LocalDateTime(instant, offset: 0)
        let (day, time) = (local.date.components, local.time)
        let clock = "\(time.hour.padded(2))\(time.minute.padded(2))\(time.second.padded(2)).00"
        let date = "\(day.day.padded(2))\(day.month.padded(2))\((day.year % 100).padded(2))"
        let latitude = "\(Self.angle(abs(place.latitude), 2)),\(place.latitude < 0 ? "S" : "N")"
        let longitude = "\(Self.angle(abs(place.longitude), 3)),\(place.longitude < 0 ? "W" : "E")"
        let metres = DistancePath.metres(before, place)
        // Hundredths of a knot; a nautical mile has 1852 m.
        let hundredths = Int((metres * 360_000 / 1852).rounded())
        let knots = "\(hundredths / 100).\((hundredths % 100).padded(2))"
        text =
            Self.sentence("GPRMC,\(clock),A,\(latitude),\(longitude),\(knots),0.00,\(date),,,A")
            + Self.sentence("GPGGA,\(clock),\(latitude),\(longitude),1,08,0.9,40.0,M,46.0,M,,")
            + Self.sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.6,0.9,1.3")
    }

    /// The text in the blocks in which the serial line's reader delivers it.
    func frames(at time: MonotonicTime) -> [ByteFrame] { ByteFrame.blocks(of: Array(text.utf8)) { _ in time } }

    private static func sentence(_ content: String) -> String {
        let sum = content.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        return "$\(content)*\(sum.padded(2, radix: 16).uppercased())\r\n"
    }

    /// NMEA's `DDMM.mmmmmm`, the degrees with this many digits.
    private static func angle(_ degrees: Double, _ digits: Int) -> String {
        // Rounded in millionths of a minute before the division, so that the minutes are never 60.
        let (whole, minutes) = Int((degrees * 60_000_000).rounded()).quotientAndRemainder(dividingBy: 60_000_000)
        return whole.padded(digits) + (minutes / 1_000_000).padded(2) + "." + (minutes % 1_000_000).padded(6)
    }
}

extension ByteFrame {
    /// As the serial line's reader delivers these bytes; `time` is asked with the place of a block's first byte.
    static func blocks(of bytes: [UInt8], at time: (Int) -> MonotonicTime) -> [ByteFrame] {
        stride(from: 0, to: bytes.count, by: capacity).map { start in
            var frame = ByteFrame(time: time(start))
            let part = bytes[start..<min(start + capacity, bytes.count)]
            frame.count = UInt16(part.count)
            for (index, byte) in part.enumerated() { frame.bytes[index] = byte }
            return frame
        }
    }
}
