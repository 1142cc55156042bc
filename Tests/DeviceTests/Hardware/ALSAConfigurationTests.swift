// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct ALSAConfigurationTests {
    @Test(arguments: ["plain.raw", "with space.raw", "quo\"te.raw", "back\\slash.raw", "semi;colon}.raw"])
    func libasoundFindsAFileOfAnyName(_ name: String) throws {
        let folder = try ScratchFolder()
        let infile = try folder.file(name, [UInt8](repeating: 1, count: 64))
        let text = ALSAConfiguration.filePlugin(name: "mic", infile: infile)
        try PCMCapture.check(PCMParameters(device: "mic", configuration: text, rate: 16_000))
    }

    @Test func aMissingFileIsRefusedByLibasound() {
        let text = ALSAConfiguration.filePlugin(name: "mic", infile: "/nowhere/in.raw")
        #expect(throws: PCMError.self) {
            try PCMCapture.check(PCMParameters(device: "mic", configuration: text, rate: 16_000))
        }
    }
}
