// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RecordedChannelTests {
    /// The coarser of what the chip tells apart and what the file's last digit, or step, does.
    @Test(
        arguments: [
            (0.0001, 1.0, 3, 0.001), (0.0001, 1, 1, 0.1), (-0.0146, 1, 3, 0.0146), (0.25, 1, 0, 1), (5, 1, 0, 5),
            (0.0001, 0.002, nil, 0.002), (0.01, 0.002, nil, 0.01),
        ] as [(Double, Double, Int?, Double)])
    func theResolutionIsTheCoarserOfTheChipsAndTheFiles(
        chip: Double, step: Double, decimals: Int?, resolution: Double
    ) {
        let channel = Channel(name: "x", unit: .microtesla, scale: chip, offset: 7)
        let note = RecordingDescription.ChannelNote(channel, inSteps: step, decimals: decimals)
        #expect(abs((note.resolution ?? 0) - resolution) < 1e-12)
        #expect(note.scale == step && note.offset == 0 && note.sensorScale == abs(chip))
    }
}
