// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab
@testable import StandIns

@Suite struct MyStudiesPropertiesTests {
    /// A list of LabKey has each column once.
    @Test func aPropertyWithAValueIsOneColumn() throws {
        let properties = MyStudiesProperties(
            definitions: try JSONReader.value(
                #"{"participantProperties":[{"propertyId":"dueDate","propertyType":"PreEnrollment"}]}"#),
            values: try JSONReader.value(
                #"{"ABCDEFGHI":{"dueDate":"2026-08-01","dueDateExternalId":"7","arm":"2"}}"#))
        #expect(
            properties.columns == [
                "EnrollmentToken", "dueDate", "dueDateExternalId", "dueDateEntryDate", "arm", "armExternalId",
                "armEntryDate",
            ])
    }
}
