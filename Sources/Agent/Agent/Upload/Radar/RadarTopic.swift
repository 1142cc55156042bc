// SPDX-License-Identifier: Apache-2.0
import Base

/// A topic's newest schemas, as `RadarServer` reads them from the registry and `RadarDelivery` writes records by
/// them.
struct RadarTopic: Sendable, Hashable {
    struct Registered: Sendable, Hashable {
        /// The id within the registry, which the JSON form needs.
        let id: Int64
        /// The version within the subject, which the binary form needs.
        let version: Int64
        let schema: AvroSchema

        /// Parses the answer to `GET /subjects/{subject}/versions/latest`.
        init(_ body: [UInt8]) throws {
            let node = try JSONNode(body)
            guard let id = node["id"]?.wholeNumber, let version = node["version"]?.wholeNumber,
                let text = node["schema"]?.text
            else {
                throw RadarContentError("the schema registry's answer has no id, version and schema")
            }
            (self.id, self.version, schema) = (id, version, try AvroSchema(parsing: text))
        }
    }

    let name: String
    let key: Registered
    let value: Registered

    /// Who sends: the key of every record of a request.
    struct Sender: Sendable, Hashable {
        let project: String?
        let user: String
        let source: String

        fileprivate var json: JSONText {
            .object([
                .init("projectId", project.map { .string($0) } ?? .null), .init("userId", .string(user)),
                .init("sourceId", .string(source)),
            ])
        }
    }

    /// The body of `application/vnd.kafka.avro.v2+json`.
    func json(_ records: [AvroDatum], by sender: Sender) throws(AvroFault) -> [UInt8] {
        let key = try key.schema.datum(sender.json).json
        let text = JSONText.object([
            .init("key_schema_id", .integer(self.key.id)), .init("value_schema_id", .integer(value.id)),
            .init("records", .array(records.map { .object([.init("key", key), .init("value", $0.json)]) })),
        ]).text
        return Array(text.utf8)
    }

    /// The body of `application/vnd.radarbase.avro.v1+binary`: `org.radarcns.kafka.RecordSet`. The
    /// gateway fills project and user in from the token, as RADAR-base's own client has it do.
    func binary(_ records: [AvroDatum], by sender: Sender) throws(AvroFault) -> [UInt8] {
        // Throws where the sender does not fit the key's schema.
        _ = try key.schema.datum(sender.json)
        var out: [UInt8] = []
        AvroDatum.write(key.version, to: &out)
        AvroDatum.write(value.version, to: &out)
        // Project and user: two unions with their first branch, null.
        out += [0, 0]
        AvroDatum.string(sender.source).write(to: &out)
        AvroDatum.array(records.map { .bytes($0.binary, isFixed: false) }).write(to: &out)
        return out
    }
}
