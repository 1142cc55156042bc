// SPDX-License-Identifier: Apache-2.0
import Base

/// What a satellite receiver said about one moment, as `NMEAEpochs` makes it for the clock, the status and
/// exports of positions. What it did not say, or said as void, is nil.
package struct Fix: Sendable, Hashable {
    /// What is known about the date, which receivers get wrong by whole rounds of 1024 weeks.
    package enum DateCheck: Sendable, Hashable {
        /// There was nothing to compare it with, or no date.
        case unchecked
        /// A trusted clock says the same, within a week.
        case confirmed
        /// The receiver was that many times 1024 weeks late (early if negative);
        /// `time` is corrected.
        case corrected(rounds: Int)
        /// A trusted clock says something else altogether; `time` is nil.
        case refused
    }

    /// UTC of the position by the receiver; nil without a date.
    package var time: Instant?
    /// What that time is worth.
    package var dateCheck = DateCheck.unchecked
    /// 0 nothing known, 1 no position, 2 without height, 3 with height: the highest of the moment's
    /// GSA sentences, else of those shortly before; of a receiver without GSA 3 where it gives a
    /// height and uses at least four satellites.
    package var mode: Int
    /// Degrees north, WGS 84, -90...90.
    package var latitude: Double?
    /// Degrees east, WGS 84, -180...180.
    package var longitude: Double?
    /// Metres above mean sea level; in mode 2 an assumption of the receiver.
    package var altitudeMSL: Double?
    /// Metres from the ellipsoid up to mean sea level.
    package var geoidSeparation: Double?
    /// Metres per second over ground.
    package var speed: Double?
    /// Direction of movement, degrees clockwise from true north, 0...360.
    package var track: Double?
    /// Horizontal dilution of precision, without unit.
    package var hdop: Double?
    /// Satellites used; many receivers do not count beyond 12.
    package var satellites: Int?
    /// Satellites above the horizon, of all systems; nil where the receiver does not tell.
    package var satellitesInView: Int?
    /// dB-Hz of the strongest satellite; below 30 the antenna sees little sky.
    package var strongestSignal: Int?
    /// Standard deviation over ground in metres, by the receiver's own estimate (GST).
    package var horizontalError: Double?
    /// Standard deviation of the height in metres, by the receiver's own estimate (GST).
    package var verticalError: Double?
}

extension Fix {
    /// One JSON object in one line, as `decode nmea` prints it: `time`, `mode`, `lat`, `lon`,
    /// `altMSL`, `speed`, `track`, `hdop`, `satellites`; absent when unknown. Units as in the type;
    /// UTC with `Z` and milliseconds; nine decimals for degrees (0.1 mm).
    package var json: String {
        JSONText.object([
            "time": time.map { .string($0.rfc3339Zulu(fractionDigits: 3)) }, "mode": .integer(Int64(mode)),
            "lat": Self.decimal(latitude, places: 9), "lon": Self.decimal(longitude, places: 9),
            "altMSL": Self.decimal(altitudeMSL, places: 4), "speed": Self.decimal(speed, places: 4),
            "track": Self.decimal(track, places: 4), "hdop": Self.decimal(hdop, places: 2),
            "satellites": satellites.map { .integer(Int64($0)) },
        ]).text
    }

    /// A number without exponent and without zeros at its end; nil where JSON has none (infinity).
    private static func decimal(_ value: Double?, places: Int) -> JSONText? {
        guard let value else { return nil }
        var text = Decimals.text(value, places)
        guard !text.isEmpty else { return nil }
        while text.hasSuffix("0") { text.removeLast() }
        return .spelled(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
}
