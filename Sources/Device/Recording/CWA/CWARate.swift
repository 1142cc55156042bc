// SPDX-License-Identifier: Apache-2.0

/// The rates a CWA file can name, of which `CWAWriter` takes the nearest: 3200/2^(15−code) samples per second.
package enum CWARate {
    /// Samples per second of a code; its low four bits count.
    package static func rate(code: UInt8) -> Double { 3200 / Double(1 << (15 - Int(code & 15))) }

    package static func nearest(to rate: Double) -> (code: UInt8, rate: Double) {
        func distance(_ code: UInt8) -> Double { abs(Self.rate(code: code) - rate) }
        let code = (6...15).reduce(UInt8(5)) { best, code in distance(code) < distance(best) ? code : best }
        return (code, Self.rate(code: code))
    }
}
