// SPDX-License-Identifier: Apache-2.0
import Base

/// The fields of a CWA block beside its samples, which `CWAWriter` keeps for the next block: what was measured,
/// or the value by which readers see best that nothing was.
///
/// The format has a value for an unknown battery and no light: 0 (openmovement, Docs/ax3/cwa.h: "0 =
/// unknown", "0 = none"). For the temperature 0 is "none", too, but no reader knows: all make -50
/// degC of it, and skdh's DETACH and CTA then take everything after the first stillness as not
/// worn. So it is 1023, which is 249.7 degC: GGIR leaves it out (g.calibrate.R above 120 degC,
/// g.getmeta.R above 50 degC), and skdh, which takes less than 26 degC for not worn, finds no such
/// time in it.
struct CWAFields: Sendable, Hashable {
    static let noTemperature: UInt16 = 1023
    static let noBattery: UInt8 = 0
    /// How long a reading is good: ten times the minute after which the next is due.
    private static let freshness = Duration.seconds(600)

    private(set) var temperature = Self.noTemperature
    private(set) var battery = Self.noBattery
    private var readAt: MonotonicTime?

    /// `degrees` Celsius came with the sample at `time`; nil where no temperature came with it.
    mutating func record(_ degrees: Double?, at time: MonotonicTime) {
        if let degrees {
            // cwa.h: degrees = raw * 75 / 256 - 50.
            temperature = UInt16(max(0, min(1022, ((degrees + 50) * 256 / 75).rounded())))
            readAt = time
        } else if let readAt, time - readAt > Self.freshness {
            temperature = Self.noTemperature
            self.readAt = nil
        }
    }

    /// The field can express 3 to 6 volts, as (2 raw + 512) * 6 / 1024; any other voltage is written as unknown.
    mutating func record(battery volts: Double?) {
        let raw = volts.map { (($0 * 1024 / 6 - 512) / 2).rounded() } ?? 0
        battery = raw >= 1 && raw <= 255 ? UInt8(raw) : Self.noBattery
    }
}
