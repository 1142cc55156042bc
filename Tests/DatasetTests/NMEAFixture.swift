// SPDX-License-Identifier: Apache-2.0
import Base

/// What a receiver says (NMEA 0183), and the recorder's line before it (docs/recordings.md).
enum NMEAFixture {
    /// A fix that many seconds after 09:00 of 21 November 2026, 100 s after the boot: of three dimensions in mode 3, of
    /// two in mode 2, and none in mode 1.
    static func fix(at second: Int, mode: Int = 3) -> String {
        let clock = [(second / 60).padded(2), (second % 60).padded(2)]
        let (time, place) = ("09\(clock.joined()).00", "5230.1000,N,01324.5000,E")
        return [
            "PSTDY,E,\(100 + second).000000,2026-11-21T09:\(clock.joined(separator: ":")).000000Z",
            "GPRMC,\(time),A,\(place),3.60,90.0,211126,,,A", "GPGGA,\(time),\(place),1,08,1.2,35.5,M,44.0,M,,",
            "GPGSA,A,\(mode),01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6",
        ].map(sentence).joined()
    }

    /// `$`, and behind `*` the XOR of what stands between.
    private static func sentence(_ body: String) -> String {
        let sum: UInt8 = body.utf8.reduce(0, ^)
        return "$\(body)*\(sum.padded(2, radix: 16).uppercased())\r\n"
    }
}
