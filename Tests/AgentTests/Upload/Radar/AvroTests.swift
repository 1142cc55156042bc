// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// Values by schema. What is expected comes from Avro 1.11's specification, RADAR-Schemas c8b4694 and the tests of RADAR-Gateway c29d332.
@Suite struct AvroTests {
    /// `org.radarcns.kafka.ObservationKey` and `org.radarcns.passive.phone.PhoneAcceleration`, without their words.
    static let key = """
        {"namespace":"org.radarcns.kafka","type":"record","name":"ObservationKey","fields":[
        {"name":"projectId","type":["null","string"],"default":null},{"name":"userId","type":"string"},
        {"name":"sourceId","type":"string"}]}
        """
    static let acceleration = """
        {"namespace":"org.radarcns.passive.phone","type":"record","name":"PhoneAcceleration","fields":[
        {"name":"time","type":"double"},{"name":"timeReceived","type":"double"},{"name":"x","type":"float"},
        {"name":"y","type":"float"},{"name":"z","type":"float"}]}
        """
    /// `org.radarcns.active.questionnaire.Questionnaire`.
    static let questionnaire = """
        {"namespace":"org.radarcns.active.questionnaire","type":"record","name":"Questionnaire","fields":[
        {"name":"time","type":"double"},{"name":"timeCompleted","type":"double"},
        {"name":"timeNotification","type":["null","double"],"default":null},{"name":"name","type":"string"},
        {"name":"version","type":"string"},{"name":"answers","type":{"type":"array","items":{"name":"Answer","type":"record",
        "fields":[{"name":"questionId","type":["null","string"],"default":null},
        {"name":"value","type":["int","string","double"]},{"name":"startTime","type":"double"},
        {"name":"endTime","type":"double"}]}}}]}
        """

    static func registered(_ schema: String, id: Int = 1, version: Int = 1) throws -> RadarTopic.Registered {
        let body = JSONText.object([
            .init("subject", .string("t")), .init("id", .integer(Int64(id))),
            .init("version", .integer(Int64(version))),
            .init("schema", .string(schema)),
        ]).text
        return try RadarTopic.Registered(Array(body.utf8))
    }

    private func value(_ json: String) throws -> JSONText { try JSONNode(Array(json.utf8)).value }

    private func bytes(_ json: String, _ schema: String) throws -> String {
        try AvroSchema(parsing: schema).datum(value(json)).binary.hexadecimal
    }

    private func text(_ json: String, _ schema: String) throws -> String {
        try AvroSchema(parsing: schema).datum(value(json)).json.text
    }

    /// The bytes for the structure that the gateway's `BinaryToAvroConverterTest` reads.
    @Test func twoAccelerationsAreTheBytesThatTheGatewayReads() throws {
        let topic = RadarTopic(
            name: "t", key: try Self.registered(Self.key), value: try Self.registered(Self.acceleration))
        let records = try [(1.0, 1.1, 1.2, 1.3, 1.4), (2.0, 2.1, 2.2, 2.3, 2.4)].map { time, received, x, y, z in
            try topic.value.schema.datum(
                value("{\"time\":\(time),\"timeReceived\":\(received),\"x\":\(x),\"y\":\(y),\"z\":\(z)}"))
        }
        let sender = RadarTopic.Sender(project: "p", user: "u", source: "s")
        let expected = """
            02020000027304 38 000000000000f03f9a9999999999f13f9a99993f6666a63f3333b33f 38
             0000000000000040cdcccccccccc0040cdcc0c40333313409a991940 00
            """
        let body = try topic.binary(records, by: sender)
        #expect(body.hexadecimal == expected.filter { !$0.isWhitespace } && body.count == 66)
    }

    /// Avro 1.11, "Binary Encoding": zig-zag of int and long, text, arrays in blocks, unions by their place.
    @Test(arguments: [
        ("0", "\"long\"", "00"), ("-1", "\"long\"", "01"), ("1", "\"long\"", "02"), ("-2", "\"int\"", "03"),
        ("-64", "\"long\"", "7f"), ("64", "\"long\"", "8001"),
        ("9223372036854775807", "\"long\"", "feffffffffffffffff01"),
        ("-9223372036854775808", "\"long\"", "ffffffffffffffffff01"),
        ("\"foo\"", "\"string\"", "06666f6f"), ("[3,27]", "{\"type\":\"array\",\"items\":\"long\"}", "04063600"),
        ("[]", "{\"type\":\"array\",\"items\":\"long\"}", "00"), ("null", "[\"null\",\"string\"]", "00"),
        ("\"a\"", "[\"null\",\"string\"]", "020261"), ("true", "\"boolean\"", "01"),
        ("{\"a\":1}", "{\"type\":\"map\",\"values\":\"int\"}", "0202610200"),
        ("\"\\u00ff\\u0000\"", "\"bytes\"", "04ff00"),
        ("\"ab\"", "{\"type\":\"fixed\",\"name\":\"f\",\"size\":2}", "6162"),
        ("\"B\"", "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"B\"]}", "02"),
        (
            "{\"a\":27,\"b\":\"foo\"}",
            "{\"type\":\"record\",\"name\":\"test\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"b\",\"type\":\"string\"}]}",
            "3606666f6f"
        ),
    ]) func bytesAreThoseOfTheSpecification(_ json: String, _ schema: String, _ expected: String) throws {
        #expect(try bytes(json, schema) == expected)
    }

    /// `AvroRecordProcessorTest`: the gateway's own example, with unions as it writes them.
    @Test func aQuestionnaireIsWrittenAsTheGatewaysTestHasIt() throws {
        let plain = """
            {"time":1.0,"timeCompleted":1.1,"name":"a","version":"1",
            "answers":[{"questionId":"Q1","value":5,"startTime":1.2,"endTime":1.3}],"unknown":[1]}
            """
        #expect(
            try text(plain, Self.questionnaire)
                == "{\"time\":1.0,\"timeCompleted\":1.1,\"timeNotification\":null,\"name\":\"a\",\"version\":\"1\","
                + "\"answers\":[{\"questionId\":{\"string\":\"Q1\"},\"value\":{\"int\":5},\"startTime\":1.2,\"endTime\":1.3}]}"
        )
    }

    /// The other one: `processPhoneBluetooth`.
    @Test func nullAndNumberOfAUnionAreWrittenAsTheGatewaysTestHasThem() throws {
        let schema = """
            {"type":"record","name":"PhoneBluetoothDevices","fields":[{"name":"time","type":"double"},
            {"name":"timeReceived","type":"double"},{"name":"pairedDevices","type":["null","int"],"default":null},
            {"name":"nearbyDevices","type":["null","int"],"default":null},{"name":"bluetoothEnabled","type":"boolean"}]}
            """
        #expect(
            try text("{\"time\":1,\"timeReceived\":1.1,\"pairedDevices\":2,\"bluetoothEnabled\":true}", schema)
                == "{\"time\":1.0,\"timeReceived\":1.1,\"pairedDevices\":{\"int\":2},\"nearbyDevices\":null,"
                + "\"bluetoothEnabled\":true}")
    }

    /// A bare 5.5 in such a union would be stored as 5 (`JsonNodeExtensions.kt`, toAvroUnion).
    @Test(arguments: [
        ("5", "{\"int\":5}"), ("5.0", "{\"int\":5}"), ("5.5", "{\"double\":5.5}"), ("-0.25", "{\"double\":-0.25}"),
        ("2147483647", "{\"int\":2147483647}"), ("2147483648", "{\"double\":2147483648.0}"),
        ("\"5\"", "{\"string\":\"5\"}"),
        ("\"\"", "{\"string\":\"\"}"),
    ]) func everyNumberOfAUnionIsWrapped(_ json: String, _ expected: String) throws {
        #expect(try text(json, "[\"int\",\"string\",\"double\"]") == expected)
    }

    @Test func namedBranchesHaveTheirFullNames() throws {
        let union = "[\"null\",{\"type\":\"enum\",\"name\":\"E\",\"namespace\":\"a.b\",\"symbols\":[\"X\"]}]"
        #expect(try text("\"X\"", union) == "{\"a.b.E\":\"X\"}")
    }

    /// The fetched schema decides: a field that we do not have takes its default, in any place.
    @Test(arguments: [
        ("{\"name\":\"d\",\"type\":\"int\",\"default\":7}", "7"),
        ("{\"name\":\"d\",\"type\":[\"null\",\"int\"]}", "null"),
        ("{\"name\":\"d\",\"type\":[\"int\",\"null\"],\"default\":3}", "{\"int\":3}"),
        (
            "{\"name\":\"d\",\"type\":{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"U\"]},\"default\":\"U\"}",
            "\"U\""
        ),
        ("{\"name\":\"d\",\"type\":{\"type\":\"array\",\"items\":\"int\"},\"default\":[]}", "[]"),
        (
            "{\"name\":\"d\",\"type\":{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"x\",\"type\":\"int\",\"default\":1}]},\"default\":{}}",
            "{\"x\":1}"
        ),
    ]) func whatWeLackIsTheDefault(_ field: String, _ expected: String) throws {
        let schema = "{\"type\":\"record\",\"name\":\"n\",\"fields\":[\(field),{\"name\":\"a\",\"type\":\"int\"}]}"
        #expect(try text("{\"a\":1}", schema) == "{\"d\":\(expected),\"a\":1}")
    }

    /// `toAvroEnum`: an unknown word is the default of the field, else of the enum.
    @Test func anUnknownWordIsTheDefault() throws {
        let type = "{\"type\":\"enum\",\"name\":\"e\",\"symbols\":[\"A\",\"U\"]}"
        let schema =
            "{\"type\":\"record\",\"name\":\"n\",\"fields\":[{\"name\":\"d\",\"type\":\(type),\"default\":\"U\"}]}"
        #expect(try text("{\"d\":\"new\"}", schema) == "{\"d\":\"U\"}")
        #expect(throws: AvroFault.self) { try text("\"new\"", type) }
    }

    @Test(arguments: [
        (
            "{}", "acceleration",
            "PhoneAcceleration.time: is needed by the topic's schema, and the device has no value for it"
        ),
        ("{\"time\":null}", "acceleration", "PhoneAcceleration.time: is needed"),
        ("{\"time\":\"1\"}", "acceleration", "PhoneAcceleration.time: \"1\" is no double"),
        (
            "{\"time\":1,\"timeReceived\":1,\"x\":1e60,\"y\":1,\"z\":1}", "acceleration",
            "PhoneAcceleration.x: 1e60 is no float"
        ),
        (
            "{\"time\":1,\"timeCompleted\":1,\"name\":\"n\",\"version\":\"\",\"answers\":[{\"value\":[1]}]}",
            "questionnaire",
            "Questionnaire.answers[0].value: [1] is none of int, string, double"
        ),
    ]) func whatIsNeededAndNotThereIsNamed(_ json: String, _ schema: String, _ words: String) throws {
        let schema = try AvroSchema(parsing: schema == "acceleration" ? Self.acceleration : Self.questionnaire)
        let fault = #expect(throws: AvroFault.self) { try schema.datum(value(json)) }
        #expect(fault?.description.hasPrefix(words) == true, "\(String(describing: fault))")
    }

    /// Avro 1.11, "Binary Encoding": an array is a block with its count, here 1, then a block of 0; numbers are zig-zag.
    @Test(arguments: [(1, true), (31, true), (32, false), (60, false)])
    func aValueIsNestedThirtyOneDeepAtMost(levels: Int, isTaken: Bool) throws {
        func nested(_ before: String, _ middle: String, _ behind: String) -> String {
            String(repeating: before, count: levels) + middle + String(repeating: behind, count: levels)
        }
        let schema = nested(#"{"type":"array","items":"#, #""int""#, "}")
        if isTaken {
            #expect(try bytes(nested("[", "7", "]"), schema) == nested("02", "0e", "00"))
        } else {
            let fault = #expect(throws: AvroFault.self) { try bytes(nested("[", "7", "]"), schema) }
            #expect(fault?.cause == "is nested too deeply")
        }
    }

    @Test(arguments: [
        "", "{", "{}", "\"nothing\"", "{\"type\":\"record\",\"fields\":[]}", "{\"type\":\"array\"}", "5",
        "{\"type\":\"enum\",\"name\":\"e\"}", "{\"type\":\"fixed\",\"name\":\"e\",\"size\":-1}",
        "{\"type\":\"record\",\"name\":\"a\",\"fields\":[{\"name\":\"b\",\"type\":{\"type\":\"record\",\"name\":\"a\",\"fields\":[]}}]}",
        String(repeating: "{\"type\":\"array\",\"items\":", count: 200) + "\"int\""
            + String(repeating: "}", count: 200),
    ]) func whatIsNoSchemaIsRefused(_ text: String) {
        #expect(throws: (any Error).self) { try AvroSchema(parsing: text) }
    }

    /// A schema that has itself in it, without an end.
    @Test func aDefaultWithoutEndIsRefused() throws {
        let schema = """
            {"type":"record","name":"a","fields":[{"name":"b","type":"a","default":{}}]}
            """
        #expect(throws: AvroFault.self) { try AvroSchema(parsing: schema).datum(.object([JSONText.Member]())) }
    }
}
