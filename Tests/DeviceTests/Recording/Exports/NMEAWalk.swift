// SPDX-License-Identifier: Apache-2.0

/// A receiver's sentences of a walk to the north, one fix a second from 9 o'clock (NMEA 0183: RMC, GGA and GSA
/// with its mode, 2 or 3 dimensions); nothing in the seconds between.
enum NMEAWalk {
    static func log(_ seconds: [Int], mode: Int = 3) -> [UInt8] {
        let lines = seconds.flatMap { second -> [String] in
            let time = "0900" + (second < 10 ? "0" : "") + "\(second).00"
            return fix("5230.\(1000 + second)", at: time, mode: mode)
        }
        return lines.flatMap(sentence)
    }

    /// The bodies of the sentences of a fix at that latitude.
    static func fix(_ latitude: String, at time: String, mode: Int = 3) -> [String] {
        let place = "\(latitude),N,01324.5000,E"
        return [
            "GPRMC,\(time),A,\(place),3.60,0.0,211126,,,A", "GPGGA,\(time),\(place),1,08,1.2,35.5,M,44.0,M,,",
            "GPGSA,A,\(mode),01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6",
        ]
    }

    static func sentence(_ body: String) -> [UInt8] { Array("$\(body)*\(checksum(body))\r\n".utf8) }

    private static func checksum(_ body: String) -> String {
        let digits = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return (digits.count < 2 ? "0" : "") + digits
    }
}
