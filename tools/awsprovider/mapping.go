package main

import (
	"context"
	"maps"
	"strings"
	"unicode"

	"github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfbridge"
	shim "github.com/pulumi/pulumi-terraform-bridge/v3/pkg/tfshim"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// resourceNames maps a resource of Terraform's provider to the module and the type of pulumi-aws v6.
var resourceNames = map[string]string{
	"aws_cloudfront_distribution":                        "cloudfront.Distribution",
	"aws_cloudfront_origin_access_control":               "cloudfront.OriginAccessControl",
	"aws_cloudwatch_event_rule":                          "cloudwatch.EventRule",
	"aws_cloudwatch_event_target":                        "cloudwatch.EventTarget",
	"aws_cloudwatch_log_group":                           "cloudwatch.LogGroup",
	"aws_default_security_group":                         "ec2.DefaultSecurityGroup",
	"aws_ec2_tag":                                        "ec2.Tag",
	"aws_ec2_transit_gateway_vpc_attachment":             "ec2transitgateway.VpcAttachment",
	"aws_egress_only_internet_gateway":                   "ec2.EgressOnlyInternetGateway",
	"aws_eip":                                            "ec2.Eip",
	"aws_flow_log":                                       "ec2.FlowLog",
	"aws_iam_access_key":                                 "iam.AccessKey",
	"aws_iam_instance_profile":                           "iam.InstanceProfile",
	"aws_iam_openid_connect_provider":                    "iam.OpenIdConnectProvider",
	"aws_iam_policy":                                     "iam.Policy",
	"aws_iam_role":                                       "iam.Role",
	"aws_iam_role_policy":                                "iam.RolePolicy",
	"aws_iam_role_policy_attachment":                     "iam.RolePolicyAttachment",
	"aws_iam_service_linked_role":                        "iam.ServiceLinkedRole",
	"aws_iam_user":                                       "iam.User",
	"aws_iam_user_policy":                                "iam.UserPolicy",
	"aws_instance":                                       "ec2.Instance",
	"aws_internet_gateway":                               "ec2.InternetGateway",
	"aws_internet_gateway_attachment":                    "ec2.InternetGatewayAttachment",
	"aws_key_pair":                                       "ec2.KeyPair",
	"aws_kms_alias":                                      "kms.Alias",
	"aws_kms_key":                                        "kms.Key",
	"aws_lb":                                             "lb.LoadBalancer",
	"aws_main_route_table_association":                   "ec2.MainRouteTableAssociation",
	"aws_nat_gateway":                                    "ec2.NatGateway",
	"aws_ram_principal_association":                      "ram.PrincipalAssociation",
	"aws_ram_resource_association":                       "ram.ResourceAssociation",
	"aws_ram_resource_share":                             "ram.ResourceShare",
	"aws_route":                                          "ec2.Route",
	"aws_route53_record":                                 "route53.Record",
	"aws_route53_vpc_association_authorization":          "route53.VpcAssociationAuthorization",
	"aws_route53_zone":                                   "route53.Zone",
	"aws_route53_zone_association":                       "route53.ZoneAssociation",
	"aws_route_table":                                    "ec2.RouteTable",
	"aws_route_table_association":                        "ec2.RouteTableAssociation",
	"aws_s3_bucket":                                      "s3.BucketV2",
	"aws_s3_bucket_lifecycle_configuration":              "s3.BucketLifecycleConfigurationV2",
	"aws_s3_bucket_ownership_controls":                   "s3.BucketOwnershipControls",
	"aws_s3_bucket_policy":                               "s3.BucketPolicy",
	"aws_s3_bucket_public_access_block":                  "s3.BucketPublicAccessBlock",
	"aws_s3_bucket_server_side_encryption_configuration": "s3.BucketServerSideEncryptionConfigurationV2",
	"aws_s3_bucket_versioning":                           "s3.BucketVersioningV2",
	"aws_s3_object":                                      "s3.BucketObjectv2",
	"aws_security_group":                                 "ec2.SecurityGroup",
	"aws_security_group_rule":                            "ec2.SecurityGroupRule",
	"aws_sns_topic":                                      "sns.Topic",
	"aws_sqs_queue":                                      "sqs.Queue",
	"aws_sqs_queue_policy":                               "sqs.QueuePolicy",
	"aws_subnet":                                         "ec2.Subnet",
	"aws_vpc":                                            "ec2.Vpc",
	"aws_vpc_dhcp_options":                               "ec2.VpcDhcpOptions",
	"aws_vpc_dhcp_options_association":                   "ec2.VpcDhcpOptionsAssociation",
	"aws_vpc_endpoint":                                   "ec2.VpcEndpoint",
	"aws_vpc_endpoint_route_table_association":           "ec2.VpcEndpointRouteTableAssociation",
	"aws_vpc_endpoint_service":                           "ec2.VpcEndpointService",
	"aws_vpc_endpoint_service_allowed_principal":         "ec2.VpcEndpointServiceAllowedPrinciple",
	"aws_vpc_endpoint_subnet_association":                "ec2.VpcEndpointSubnetAssociation",
	"aws_vpc_ipv4_cidr_block_association":                "ec2.VpcIpv4CidrBlockAssociation",
	"aws_vpc_security_group_egress_rule":                 "vpc.SecurityGroupEgressRule",
	"aws_vpc_security_group_ingress_rule":                "vpc.SecurityGroupIngressRule",
}

// functionNames does so for data sources; the module index is written "".
var functionNames = map[string]string{
	"aws_ami":                         "ec2.getAmi",
	"aws_availability_zone":           ".getAvailabilityZone",
	"aws_availability_zones":          ".getAvailabilityZones",
	"aws_caller_identity":             ".getCallerIdentity",
	"aws_ec2_instance_type":           "ec2.getInstanceType",
	"aws_ec2_instance_type_offerings": "ec2.getInstanceTypeOfferings",
	"aws_ec2_managed_prefix_list":     "ec2.getManagedPrefixList",
	"aws_ec2_public_ipv4_pool":        "ec2.getPublicIpv4Pool",
	"aws_ec2_transit_gateway":         "ec2transitgateway.getTransitGateway",
	"aws_eip":                         "ec2.getElasticIp",
	"aws_eips":                        "ec2.getEips",
	"aws_iam_instance_profile":        "iam.getInstanceProfile",
	"aws_iam_openid_connect_provider": "iam.getOpenIdConnectProvider",
	"aws_iam_policy":                  "iam.getPolicy",
	"aws_iam_role":                    "iam.getRole",
	"aws_iam_roles":                   "iam.getRoles",
	"aws_key_pair":                    "ec2.getKeyPair",
	"aws_kms_key":                     "kms.getKey",
	"aws_lb":                          "lb.getLoadBalancer",
	"aws_lbs":                         "lb.getLbs",
	"aws_nat_gateway":                 "ec2.getNatGateway",
	"aws_nat_gateways":                "ec2.getNatGateways",
	"aws_partition":                   ".getPartition",
	"aws_region":                      ".getRegion",
	"aws_route53_zone":                "route53.getZone",
	"aws_route_table":                 "ec2.getRouteTable",
	"aws_s3_bucket":                   "s3.getBucket",
	"aws_security_group":              "ec2.getSecurityGroup",
	"aws_security_groups":             "ec2.getSecurityGroups",
	"aws_sns_topic":                   "sns.getTopic",
	"aws_subnet":                      "ec2.getSubnet",
	"aws_subnets":                     "ec2.getSubnets",
	"aws_vpc":                         "ec2.getVpc",
	"aws_vpc_dhcp_options":            "ec2.getVpcDhcpOptions",
	"aws_vpc_endpoint":                "ec2.getVpcEndpoint",
	"aws_vpc_endpoint_service":        "ec2.getVpcEndpointService",
	"aws_vpc_ipam_pool":               "ec2.getVpcIpamPool",
	"aws_vpc_ipam_preview_next_cidr":  "ec2.getIpamPreviewNextCidr",
	"aws_vpc_security_group_rule":     "vpc.getSecurityGroupRule",
	"aws_vpc_security_group_rules":    "vpc.getSecurityGroupRules",
	"aws_vpcs":                        "ec2.getVpcs",
}

// token returns the token of "module.Name": aws:module/name:Name.
func token(name string) string {
	module, member, _ := strings.Cut(name, ".")
	if module == "" {
		module = "index"
	}
	first := []rune(member)
	first[0] = unicode.ToLower(first[0])
	return "aws:" + module + "/" + string(first) + ":" + member
}

// managed is the default that pulumi-aws gives to required descriptions.
func managed() *tfbridge.SchemaInfo {
	return &tfbridge.SchemaInfo{Default: &tfbridge.DefaultInfo{Value: "Managed by Pulumi"}}
}

// settings are the blocks of the provider's config that pulumi-aws has as objects: the plugin framework declares them
// without a limit.
func settings() map[string]*tfbridge.SchemaInfo {
	single := map[string]*tfbridge.SchemaInfo{}
	for _, block := range []string{"assume_role", "assume_role_with_web_identity", "default_tags", "ignore_tags"} {
		single[block] = &tfbridge.SchemaInfo{MaxItemsOne: tfbridge.True()}
	}
	return single
}

func resources(p shim.Provider) map[string]*tfbridge.ResourceInfo {
	infos := map[string]*tfbridge.ResourceInfo{}
	for name, member := range resourceNames {
		infos[name] = &tfbridge.ResourceInfo{Tok: tokens.Type(token(member))}
		if tags, tagged := p.ResourcesMap().Get(name).Schema().GetOk("tags_all"); tagged && tags.Optional() {
			infos[name].PreCheckCallback = addAllTags
		}
	}
	fields := func(name string, fields map[string]*tfbridge.SchemaInfo) { infos[name].Fields = fields }
	// pulumi-aws has the singular, where the bridge makes a plural.
	egress, ingress := &tfbridge.SchemaInfo{Name: "egress"}, &tfbridge.SchemaInfo{Name: "ingress"}
	fields("aws_security_group", map[string]*tfbridge.SchemaInfo{
		"description": managed(),
		"egress":      egress,
		"ingress":     ingress,
	})
	fields("aws_default_security_group", map[string]*tfbridge.SchemaInfo{"egress": egress, "ingress": ingress})
	fields("aws_route53_zone", map[string]*tfbridge.SchemaInfo{"comment": managed()})
	fields("aws_route53_record", map[string]*tfbridge.SchemaInfo{
		"alias": {Name: "aliases", MaxItemsOne: tfbridge.False()},
	})
	return infos
}

func functions() map[string]*tfbridge.DataSourceInfo {
	infos := map[string]*tfbridge.DataSourceInfo{}
	for name, member := range functionNames {
		infos[name] = &tfbridge.DataSourceInfo{Tok: tokens.ModuleMember(token(member))}
	}
	// pulumi-aws has one object
	infos["aws_lb"].Fields = map[string]*tfbridge.SchemaInfo{"access_logs": {MaxItemsOne: tfbridge.True()}}
	return infos
}

// ignored are the resources and data sources without a mapping: of the services that are built, those that no stack
// uses.
func ignored(p shim.Provider) []string {
	var names []string
	p.ResourcesMap().Range(func(name string, _ shim.Resource) bool {
		if resourceNames[name] == "" {
			names = append(names, name)
		}
		return true
	})
	p.DataSourcesMap().Range(func(name string, _ shim.Resource) bool {
		if functionNames[name] == "" {
			names = append(names, name)
		}
		return true
	})
	return names
}

// addAllTags sets the input tagsAll, as pulumi-aws does: a resource's tags and the provider's default tags, without
// those that it ignores.
func addAllTags(_ context.Context, inputs, provider resource.PropertyMap) (resource.PropertyMap, error) {
	inputs = inputs.Copy()
	defaults := resource.PropertyMap{}
	if of := provider["defaultTags"]; of.IsObject() && of.ObjectValue()["tags"].IsObject() {
		defaults = of.ObjectValue()["tags"].ObjectValue()
	}
	if inputs["tags"].ContainsUnknowns() || resource.NewObjectProperty(defaults).ContainsUnknowns() {
		inputs["tagsAll"] = resource.NewOutputProperty(resource.Output{})
		return inputs, nil
	}
	all := defaults.Copy()
	if tags := inputs["tags"]; tags.IsObject() {
		maps.Copy(all, tags.ObjectValue())
	}
	inputs["tagsAll"] = resource.NewObjectProperty(all)
	return inputs, nil
}
