// SPDX-License-Identifier: Apache-2.0
import Device
import SystemKit
import Testing

@Suite struct AttributeFolderTests {
    @Test func aShorterValueLeavesNothingOfTheLongerOne() throws {
        let folder = try ScratchFolder()
        _ = try folder.file("brightness")
        let attributes = AttributeFolder(path: folder.path)
        for value in ["1", "255", "7", ""] {
            try attributes.write("brightness", value)
            #expect(try attributes.read("brightness") == value)
            #expect(try folder.text("brightness") == value + "\n")
        }
    }

    @Test func aMissingAttributeIsNotMadeUp() throws {
        let folder = try ScratchFolder()
        let attributes = AttributeFolder(path: folder.path)
        #expect(!attributes.has("brightness"))
        #expect(throws: SystemError.self) { try attributes.write("brightness", "1") }
        #expect(!attributes.has("brightness"))
    }
}
