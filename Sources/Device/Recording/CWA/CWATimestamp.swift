// SPDX-License-Identifier: Apache-2.0
import Base

/// A wall-clock time as CWA packs it: 32 bits down to the second and a fraction in 1/32768 s. It has no zone.
/// Header and blocks have them.
package struct CWATimestamp: Sendable, Hashable {
    /// year−2000 b31:26, month b25:22, day b21:17, hour b16:12, minute b11:6, second b5:0.
    package var packed: UInt32
    /// 0...32767 of 1/32768 s.
    package var fraction: UInt16

    package init(packed: UInt32, fraction: UInt16) {
        self.packed = packed
        self.fraction = fraction & 0x7FFF
    }

    /// What a wall clock shows, the fraction rounded **up**: readers that work back from it with floor() then
    /// find the right sample and not the one before. A year outside 2000...2063 cannot be written: 2000 or 2063
    /// is put in its place.
    package init(_ local: LocalDateTime) {
        var local = local
        var fraction = (local.time.nanosecond * 32_768 + 999_999_999) / 1_000_000_000
        if fraction == 32_768 {
            fraction = 0
            local = local.adding(.nanoseconds(1_000_000_000 - Int64(local.time.nanosecond)))
        }
        let (year, month, day) = local.date.components
        let date = UInt32(min(max(year - 2000, 0), 63)) << 26 | UInt32(month) << 22 | UInt32(day) << 17
        packed = date | UInt32(local.time.hour) << 12 | UInt32(local.time.minute) << 6 | UInt32(local.time.second)
        self.fraction = UInt16(fraction)
    }

    /// The wall-clock time; nil where the fields are no date: damage, or the format's special
    /// values 0 (always) and 0xFFFFFFFF (never).
    package var local: LocalDateTime? {
        guard
            let date = LocalDate(
                year: 2000 + Int(packed >> 26), month: Int(packed >> 22 & 15), day: Int(packed >> 17 & 31)),
            let time = LocalTime(
                hour: Int(packed >> 12 & 31), minute: Int(packed >> 6 & 63), second: Int(packed & 63),
                nanosecond: Int(fraction) * 1_000_000_000 / 32_768)
        else { return nil }
        return LocalDateTime(date, time)
    }
}
