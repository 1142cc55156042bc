// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

/// NMEA 0183: degrees, then minutes from 00 to 59.
@Suite struct SimulatedFixTests {
    @Test(arguments: [
        (51.99999999999, 0.0, "5200.000000,N,00000.000000,E"), (-51.5, -0.125, "5130.000000,S,00007.500000,W"),
        (0.00000001, 179.99999999999, "0000.000001,N,18000.000000,E"),
    ])
    func noMinuteIsTheSixtieth(latitude: Double, longitude: Double, written: String) {
        let place = (latitude: latitude, longitude: longitude)
        let text = SimulatedFix(place, at: Instant(seconds: 1_795_251_600), since: place).text
        #expect(text.contains("GPRMC,") && text.contains(",A,\(written),"), "\(text)")
    }
}
