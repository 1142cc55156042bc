// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Device

@Test(
    arguments: [
        (
            .bus(.noAcknowledge(address: 0x18)),
            ["i2c-1 0x18", "LIS3DH", "does not respond", "3.3 V", "SDA", "SA0 (low = 0x18, high = 0x19)"]
        ),
        (.wrongIdentity(read: 0x3D), ["i2c-1 0x18", "not a LIS3DH", "0x0F reads 0x3D", "0x33", "SA0"]),
        (.bus(.timeout(address: 0x18)), ["held low", "pull-ups"]),
        (.lostSetUp, ["power was interrupted"]),
        (.stalled, ["measures nothing"]),
    ] as [(SensorFault.Cause, [String])])
func aFaultNamesPlaceFindingAndRemedy(_ cause: SensorFault.Cause, _ parts: [String]) {
    let place = ChipPlace(bus: "i2c-1", address: 0x18, chip: LIS3DH.identity)
    let text = SensorFault(place: place, cause: cause).description
    for part in parts { #expect(text.contains(part), "\(text)") }
}
