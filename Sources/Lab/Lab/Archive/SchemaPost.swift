// SPDX-License-Identifier: Apache-2.0
import Base

/// One record as the schema app posts it, checked against the platform's rules: `SchemaRoutes` makes it of what
/// comes, `Archive` of what it has stored.
///
/// A breach that would make the record useless or that the platform's own app never commits is an
/// error and refused; what the platform would take but damage is a warning and stored.
struct SchemaPost: Sendable {
    enum Kind: String, Sendable {
        case response = "survey_response"
        case log

        /// What `data_type` says; a reaction test of momenTUM is an answer too.
        init?(dataType: String) {
            if dataType == "pvt_response" { self = .response } else { self.init(rawValue: dataType) }
        }
    }

    /// All fields as received, in order.
    let fields: [FormField]
    /// What it is about; nil where `data_type` is none of these.
    let kind: Kind?
    /// Why it is refused, in plain words; empty when it is not.
    let errors: [String]
    /// What the platform would take but damage, or is unlike what its app sends, such as another order of fields.
    let warnings: [String]
    /// The answers in the order sent; empty for a log.
    let responses: [JSONValue.Member]

    /// Checks what was received; `isMomentum` where it came to the address of momenTUM, a fork of
    /// schema whose posts also have the module's id.
    init(_ fields: [FormField], isMomentum: Bool = false) {
        var check = SchemaCheck(fields, isMomentum: isMomentum)
        check.run()
        self.fields = fields
        kind = check.kind
        errors = check.errors
        warnings = check.warnings
        responses = check.responses
    }

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// When it was answered or logged, as the device writes it.
    var writtenTime: WrittenTime? { (self["response_time"] ?? self["timestamp"]).flatMap(WrittenTime.init) }
    /// When the prompt was due; nil for a log.
    var alertTime: WrittenTime? { self["alert_time"].flatMap(WrittenTime.init) }
    /// All fields as a JSON array of pairs, so that order and doubles survive.
    var stored: JSONValue { .array(fields.map { .array([.string($0.name), .string($0.value)]) }) }
}
